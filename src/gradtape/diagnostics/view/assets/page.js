// The page: opens and closes groups, moves, searches, and shows the details of what is chosen.
"use strict";
(() => {
  const began = performance.now();
  const $ = (id) => document.getElementById(id);
  const pictures = JSON.parse($("data").textContent);
  const stage = $("stage"), layer = $("layer"), panel = $("panel");
  const MOST_BOXES = 300, LEGIBLE = 0.5;
  let picture, open, found, chosen = null, by = "kind";
  let matched = new Set(), hits = new Set();  // what a search has found; and the groups around it too
  let view = { x: 0, y: 0, scale: 1 };
  const { escape } = gradtape;
  document.head.append(Object.assign(document.createElement("style"), { textContent: gradtape.styles("auto") }));

  // --- what is shown ----------------------------------------------------------------------------------------------------

  function show(place) {
    picture = gradtape.model(pictures[place]);
    open = gradtape.opened(picture);
    chosen = null;
    hits = new Set();
    $("title").textContent = picture.data.title;
    $("facts").textContent = $("facts").title = picture.data.facts.join(" · ");
    $("hint").textContent = picture.data.hints.join("  ");
    const { scales } = picture;
    const has = { kind: true, bytes: scales.bytes > 0, time: scales.time > 0, norm: scales.norm[1] > 0 };
    for (const option of $("colour").options) option.disabled = !has[option.value];
    if (!has[by]) by = $("colour").value = "kind";
    const bad = problems();
    $("problems").hidden = !bad.all.length;
    $("problems").textContent = bad.marked ? gradtape.plural(bad.marked, "problem") : gradtape.plural(bad.all.length, "cut");
    $("problems").classList.toggle("mild", !bad.marked);
    draw();
    closeUntilLegible();
    details();
    fit();
  }
  function draw() {
    found = gradtape.scene(picture, open);
    const shapes = gradtape.drawn(picture, found, by);
    layer.innerHTML = `<svg xmlns="http://www.w3.org/2000/svg" width="${found.width}" height="${found.height}" font-family='${gradtape.FONT}'>${gradtape.DEFINITIONS}${gradtape.svg(shapes)}</svg>`;
    mark();
  }
  // At first the whole picture is to be read: the innermost groups close until it is.
  function closeUntilLegible() {
    const scale = () => Math.min((stage.clientWidth - 40) / found.width, (stage.clientHeight - 56) / found.height);
    for (let depth = Math.max(...[...open].map((id) => picture.groups[id].depth)); depth > 0 && scale() < LEGIBLE; depth--) {
      for (const id of [...open]) if (picture.groups[id].depth === depth) open.delete(id);
      draw();
    }
  }
  function mark() {
    const near = chosen === null ? null : neighbours(chosen);
    for (const item of layer.querySelectorAll(".item")) {
      const key = item.dataset.key;
      item.classList.toggle("chosen", key === chosen);
      item.classList.toggle("hit", hits.has(key) && !(isGroup(key) && open.has(thing(key).id) && !matched.has(key)));
    }
    for (const line of layer.querySelectorAll(".line")) {
      line.classList.toggle("near", near !== null && (line.dataset.from === chosen || line.dataset.to === chosen));
    }
  }
  const isGroup = (key) => key[0] === "g";
  const thing = (key) => (isGroup(key) ? picture.groups[+key.slice(1)] : picture.nodes[+key.slice(1)]);
  const groupOf = (key) => (isGroup(key) ? thing(key).parent : picture.inside[+key.slice(1)]);
  const boxOf = (key) => found.boxes.find((box) => box.key === key);
  const nameOf = (key) => (isGroup(key) ? thing(key).name : gradtape.nameOf(thing(key)));

  function toggle(key) {
    if (!isGroup(key)) return;
    const group = thing(key), before = boxOf(key);
    if (open.has(group.id)) close(group);
    else {
      open.add(group.id);
      if (group.children.length === 1 && isGroup(group.children[0])) open.add(thing(group.children[0]).id);
      makeRoom(group);
    }
    draw();
    const after = boxOf(key);
    if (before && after) { view.x += (before.x - after.x) * view.scale; view.y += (before.y - after.y) * view.scale; }
    move();
    say(`${group.name} ${open.has(group.id) ? "open" : "closed"}`);
  }
  function close(group) {
    for (const one of picture.groups) if (one === group || isInside(one, group)) open.delete(one.id);
  }
  function isInside(group, outer) {
    for (let one = group.parent; one; one = one.parent) if (one === outer) return true;
    return false;
  }
  function shownCount() {
    let count = 0;
    for (const id of open) count += picture.groups[id].children.length;
    return count;
  }
  // Close what was opened far from here, so that there are never more boxes than one can move smoothly.
  function makeRoom(group) {
    for (const id of [...open]) {
      if (shownCount() <= MOST_BOXES) return;
      const other = picture.groups[id];
      if (other !== group && other.parent && !isInside(group, other) && !isInside(other, group)) close(other);
    }
  }
  function reveal(key) {
    for (let group = groupOf(key); group; group = group.parent) open.add(group.id);
    const around = groupOf(key);
    if (around) makeRoom(around);
    draw();
    choose(key);
    centre(key);
  }
  function openInside(key) {
    const group = isGroup(key) ? thing(key) : groupOf(key);
    const waiting = [group];
    while (waiting.length && shownCount() < MOST_BOXES) {
      const one = waiting.shift();
      if (shownCount() + one.children.length > MOST_BOXES) continue;
      open.add(one.id);
      for (const child of one.children) if (isGroup(child)) waiting.push(thing(child));
    }
    draw();
    centre(group.key === "g0" ? null : group.key);
  }
  function collapse() {
    open = new Set([0]);
    if (chosen && !boxOf(chosen)) chosen = null;
    draw();
    fit();
  }

  // --- moving -----------------------------------------------------------------------------------------------------------

  let asked = false, resting = 0;
  function move() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      layer.style.transform = `translate(${view.x}px,${view.y}px) scale(${view.scale})`;
      stage.style.backgroundPosition = `${view.x}px ${view.y}px`;
      stage.classList.toggle("far", view.scale < 0.3);
    });
  }
  function moving() {
    stage.classList.add("moving");
    clearTimeout(resting);
    resting = setTimeout(() => stage.classList.remove("moving"), 160);
  }
  function fit() {
    const { clientWidth, clientHeight } = stage;
    const whole = Math.min((clientWidth - 40) / found.width, (clientHeight - 56) / found.height);
    view.scale = Math.max(Math.min(whole, 1.15), Math.min(LEGIBLE, (clientWidth - 24) / found.width), 0.05);
    view.x = (clientWidth - found.width * view.scale) / 2;
    view.y = Math.max(14, (clientHeight - found.height * view.scale) / 2 - 6);
    move();
  }
  function centre(key) {
    const box = key && boxOf(key);
    if (!box) return fit();
    view.scale = Math.min(Math.max(view.scale, 0.75), 1.3, Math.max(0.3, stage.clientWidth / (box.width + 40)));
    view.x = stage.clientWidth / 2 - (box.x + box.width / 2) * view.scale;
    view.y = Math.max(stage.clientHeight / 2 - (box.y + box.height / 2) * view.scale, 30 - box.y * view.scale);
    move();
  }
  function keepInSight(key) {
    const box = boxOf(key);
    if (!box) return;
    const x = view.x + box.x * view.scale, y = view.y + box.y * view.scale, w = box.width * view.scale, h = Math.min(box.height * view.scale, 80);
    const { clientWidth, clientHeight } = stage;
    if (x < 20) view.x += 20 - x; else if (x + w > clientWidth - 20) view.x -= Math.min(x + w - clientWidth + 20, Math.max(0, x - 20));
    if (y < 20) view.y += 20 - y; else if (y + h > clientHeight - 20) view.y -= y + h - clientHeight + 20;
    move();
  }
  function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
    const scale = Math.min(3, Math.max(0.04, view.scale * factor));
    view.x = x - (x - view.x) * (scale / view.scale);
    view.y = y - (y - view.y) * (scale / view.scale);
    view.scale = scale;
    move();
  }
  const fingers = new Map();
  let dragged = false;
  stage.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    dragged = false;
  });
  stage.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      const far = (a) => Math.hypot(a.x - other.x, a.y - other.y) || 1, place = stage.getBoundingClientRect();
      zoom(far(now) / far(before), (now.x + other.x) / 2 - place.left, (now.y + other.y) / 2 - place.top);
      dragged = true;
    } else if (dragged || Math.hypot(now.x - before.x, now.y - before.y) > 4) {
      if (!dragged) stage.setPointerCapture(event.pointerId);
      dragged = true;
      view.x += now.x - before.x;
      view.y += now.y - before.y;
    } else return;
    fingers.set(event.pointerId, now);
    moving();
    move();
  });
  for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, (event) => fingers.delete(event.pointerId));
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const place = stage.getBoundingClientRect();
    moving();
    if (event.ctrlKey || event.metaKey || (!event.deltaX && Math.abs(event.deltaY) >= 50)) zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX - place.left, event.clientY - place.top);
    else { view.x -= event.deltaX; view.y -= event.deltaY; move(); }
  }, { passive: false });

  // --- choosing -----------------------------------------------------------------------------------------------------------

  stage.addEventListener("click", (event) => {
    if (dragged) return;
    const knob = event.target.closest("[data-toggle]"), item = event.target.closest(".item");
    if (knob) { choose(knob.dataset.toggle, false); toggle(knob.dataset.toggle); } else choose(item ? item.dataset.key : null);
    stage.focus({ preventScroll: true });
  });
  stage.addEventListener("dblclick", (event) => {
    const item = event.target.closest(".item");
    if (item && !event.target.closest("[data-toggle]")) toggle(item.dataset.key);
  });
  function choose(key, announce = true) {
    chosen = key;
    mark();
    details();
    if (key && announce) say(words(key));
  }
  function words(key) {
    const one = thing(key);
    return isGroup(key) ? `${one.name}, ${gradtape.GROUP_WORDS[one.kind] || "group"}, ${gradtape.groupWords(one)}` : `${one.name} ${one.look || ""} ${gradtape.marksOf(one).join(" ")}`;
  }
  const say = (text) => { $("live").textContent = text; };

  // The boxes beside a box: what its lines lead to, in the group where it stands.
  function neighbours(key) {
    const around = groupOf(key), found = { up: [], down: [] };
    if (!around) return found;
    for (const edge of around.edges.values()) {
      if (edge.to === key) found.up.push(edge.from);
      if (edge.from === key) found.down.push(edge.to);
    }
    return found;
  }
  function step(direction) {
    const box = chosen && boxOf(chosen);
    if (!box) return choose(found.boxes.length ? found.boxes[0].key : null);
    const middle = (one) => ({ x: one.x + one.width / 2, y: one.y + Math.min(one.height, 50) / 2 });
    const here = middle(box), near = neighbours(chosen);
    let others = [];
    if (direction === "up" || direction === "down") others = near[direction].map(boxOf).filter(Boolean);
    if (!others.length) {
      const sign = { left: -1, up: -1, right: 1, down: 1 }[direction], flat = direction === "left" || direction === "right";
      others = found.boxes.filter((one) => {
        const there = middle(one), dx = there.x - here.x, dy = there.y - here.y;
        return one.key !== chosen && (flat ? sign * dx > 4 && Math.abs(dy) < 60 : sign * dy > 4);
      });
    }
    const far = (one) => { const there = middle(one); return Math.hypot(there.x - here.x, there.y - here.y); };
    others.sort((a, b) => far(a) - far(b));
    if (others.length) { choose(others[0].key); keepInSight(others[0].key); }
  }
  // What is marked, then where gradients end.
  function problems() {
    const marked = [], cuts = [];
    picture.nodes.forEach((node, place) => {
      if (node.same !== undefined) return;
      if ((node.marks || []).length) marked.push("n" + place);
      else if (node.kind === "cut") cuts.push("n" + place);
    });
    return { all: [...marked, ...cuts], marked: marked.length };
  }
  function nextProblem() {
    const { all } = problems();
    if (all.length) reveal(all[(all.indexOf(chosen) + 1) % all.length]);
  }

  // --- details --------------------------------------------------------------------------------------------------------------

  function details() {
    const hidden = panel.hidden;
    panel.hidden = chosen === null;
    if (hidden !== panel.hidden && chosen) requestAnimationFrame(() => chosen && keepInSight(chosen));
    if (chosen === null) return;
    const one = thing(chosen), group = isGroup(chosen);
    const path = [];
    for (let around = groupOf(chosen); around && around.parent; around = around.parent) path.unshift(around);
    const rows = [];
    const row = (name, value) => { if (value !== undefined && value !== "") rows.push(`<dt>${name}</dt><dd>${escape(value)}</dd>`); };
    if (group) row("inside", gradtape.plural(one.count, "op"));
    else { row("shape", one.look || "not known"); if (one.kind === "variable") row("name", one.name); }
    if (one.bytes) row("holds", gradtape.bytes(one.bytes));
    if (one.fwd !== undefined) row("forward", gradtape.seconds(one.fwd));
    if (one.bwd !== undefined) row("backward", gradtape.seconds(one.bwd));
    if (one.norm !== undefined) row("gradient norm", gradtape.short(one.norm));
    const marks = group ? [...one.marks] : gradtape.marksOf(one);
    const meaning = { nan: "It has NaN.", inf: "It has infinities.", none: "Its gradient is None.", "bad gradient": "Its gradient has NaN.", "infinite gradient": "Its gradient has infinities.", cut: "" };
    const said = group && marks.length ? `Inside: ${marks.map(gradtape.markWord).join(", ")}.` : marks.map((each) => meaning[each]).filter(Boolean).join(" ");
    const note = [said, one.note].filter(Boolean).join("\n");
    const link = (key) => `<button type="button" data-go="${key}">${escape(nameOf(key))}</button>`;
    let links = "";
    if (!group) {
      const place = +chosen.slice(1), from = [...(one.in || []), ...(one.lost || [])];
      const list = (title, all) => (all.length ? `<h3>${title}</h3><div class="links">${all.slice(0, 12).map((each) => link("n" + each)).join("")}${all.length > 12 ? `<span>and ${all.length - 12} more</span>` : ""}</div>` : "");
      links = list("from", from) + list("used by", picture.users[place]);
    }
    const kind = group ? gradtape.GROUP_WORDS[one.kind] || "group" : { op: "op", cut: "op without a gradient", lost: "op that no tape follows", exit: "exit" }[one.kind] || one.kind;
    panel.innerHTML = `<button class="close" type="button" aria-label="Close details">×</button><h2>${escape(group ? one.name : gradtape.nameOf(one))}</h2>` +
      `<p class="path">${[escape(kind), ...path.map((each) => link(each.key))].join(" · ")}</p>` +
      (note ? `<p class="note${marks.length && !(marks.length === 1 && marks[0] === "cut") ? " bad" : ""}">${escape(note)}</p>` : "") + `<dl>${rows.join("")}</dl>` +
      (group ? `<button type="button" data-toggle-group>${open.has(one.id) ? "Close" : "Open"}</button>` : "") + source(one.at) + links;
    panel.scrollTop = 0;
    const here = panel.querySelector(".here");
    if (here) here.parentElement.scrollLeft = 0;
  }
  function source(at) {
    if (at === undefined) return "";
    const [name, line] = picture.data.lines[at], file = picture.data.files[name];
    const title = `<h3><code title="${escape(name)}">${escape(file.name)}:${line}</code></h3>`;
    const numbers = Object.keys(file.text).map(Number).filter((number) => Math.abs(number - line) <= 6).sort((a, b) => a - b);
    if (!numbers.length) return title;
    const indent = Math.min(...numbers.filter((number) => file.text[number].trim()).map((number) => file.text[number].search(/\S/)));
    return `${title}<pre>${numbers.map((number) => `<span${number === line ? ' class="here"' : ""}><i>${number}</i>${escape(file.text[number].slice(indent)) || " "}</span>`).join("")}</pre>`;
  }
  panel.addEventListener("click", (event) => {
    const go = event.target.closest("[data-go]");
    if (go) reveal(go.dataset.go);
    else if (event.target.closest(".close")) choose(null);
    else if (event.target.closest("[data-toggle-group]")) { toggle(chosen); details(); }
  });

  // --- search -----------------------------------------------------------------------------------------------------------------

  const input = $("search"), results = $("results");
  let matches = [], active = 0;
  function search() {
    const wanted = input.value.trim().toLowerCase();
    matches = [];
    matched = new Set();
    hits = new Set();
    if (wanted) {
      const lineText = picture.data.lines.map(([name, line]) => `${picture.data.files[name].name}:${line} ${picture.data.files[name].text[line] || ""}`.toLowerCase());
      const named = (one) => one.name.toLowerCase().includes(wanted);
      const fits = (node) => (node.look || "").includes(wanted) || gradtape.marksOf(node).includes(wanted) || (node.at !== undefined && lineText[node.at].includes(wanted));
      const others = [];  // those of that shape or line come after those of that name
      for (const group of picture.groups) if (group.parent && named(group)) matches.push(group.key);
      picture.nodes.forEach((node, place) => {
        if (node.same !== undefined) return;
        if (named(node)) matches.push("n" + place); else if (fits(node)) others.push("n" + place);
      });
      matches.push(...others);
      for (const key of matches) {
        matched.add(key);
        hits.add(key);
        for (let group = groupOf(key); group; group = group.parent) hits.add(group.key);
      }
    }
    active = 0;
    mark();
    list();
  }
  function list() {
    results.hidden = !input.value.trim();
    const shown = matches.slice(0, 60);
    results.innerHTML = shown.map((key, place) => {
      const one = thing(key), where = one.at === undefined ? "" : `${picture.data.files[picture.data.lines[one.at][0]].name}:${picture.data.lines[one.at][1]}`;
      return `<li role="option" aria-selected="${place === active}" data-place="${place}">${escape(nameOf(key))}<small>${escape([isGroup(key) ? gradtape.groupWords(one) : one.look, where].filter(Boolean).join("  ·  "))}</small></li>`;
    }).join("") + (matches.length > 60 ? `<li class="none">and ${(matches.length - 60).toLocaleString("en-US")} more</li>` : "") + (matches.length ? "" : '<li class="none">Nothing of that name, shape or line.</li>');
    const current = results.querySelector("[aria-selected=true]");
    if (current) current.scrollIntoView({ block: "nearest" });
  }
  function take(place) {
    if (!matches[place]) return;
    active = place;
    results.hidden = true;
    reveal(matches[place]);
    stage.focus({ preventScroll: true });
  }
  let typed = 0;
  input.addEventListener("input", () => { clearTimeout(typed); typed = setTimeout(search, picture.nodes.length > 3000 ? 120 : 0); });
  input.addEventListener("focus", () => { if (input.value) list(); });
  input.addEventListener("blur", () => setTimeout(() => { results.hidden = true; }, 150));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { active = Math.max(0, Math.min(matches.length - 1, 59, active + (event.key === "ArrowDown" ? 1 : -1))); list(); event.preventDefault(); }
    else if (event.key === "Enter") { clearTimeout(typed); if (!matches.length) search(); take(active); }
    else if (event.key === "Escape") { input.value = ""; search(); stage.focus({ preventScroll: true }); }
    event.stopPropagation();
  });
  results.addEventListener("pointerdown", (event) => { const item = event.target.closest("[data-place]"); if (item) take(+item.dataset.place); });

  // --- keys and buttons -------------------------------------------------------------------------------------------------------

  const KEYS = {
    ArrowUp: () => step("up"), ArrowDown: () => step("down"), ArrowLeft: () => step("left"), ArrowRight: () => step("right"),
    Enter: () => chosen && toggle(chosen), " ": () => chosen && toggle(chosen),
    Backspace: () => { const around = chosen && groupOf(chosen); if (around && around.parent) { choose(around.key); keepInSight(around.key); } },
    "/": () => { input.focus(); input.select(); }, n: nextProblem, e: () => openInside(chosen || "g0"), c: collapse, f: fit, 0: fit,
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), t: () => theme(), "?": () => { $("keys").hidden = !$("keys").hidden; },
    Escape: () => { if (!$("keys").hidden) $("keys").hidden = true; else if (hits.size) { input.value = ""; search(); } else choose(null); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    if ((event.key === "Enter" || event.key === " ") && event.target.tagName === "BUTTON") return;
    const act = KEYS[event.key];
    if (act) { event.preventDefault(); act(); details(); }
  });
  function theme() {
    const root = document.documentElement, now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
  }
  $("theme").onclick = theme;
  $("fit").onclick = fit;
  $("plus").onclick = () => zoom(1.25);
  $("minus").onclick = () => zoom(0.8);
  $("collapse").onclick = collapse;
  $("help").onclick = KEYS["?"];
  $("problems").onclick = nextProblem;
  $("colour").onchange = (event) => { by = event.target.value; draw(); };
  $("sheets").onchange = (event) => show(+event.target.value);
  $("sheets").hidden = pictures.length < 2;
  $("title").hidden = pictures.length > 1;
  pictures.forEach((one, place) => $("sheets").add(new Option(one.title, place)));
  addEventListener("resize", () => { if (!chosen) fit(); });

  show(0);
  // For tests: when it was ready, and what is shown.
  window.gradtapeView = { ready: performance.now(), took: performance.now() - began, boxes: () => found.boxes.length, open: () => open.size, chosen: () => chosen };
})();
