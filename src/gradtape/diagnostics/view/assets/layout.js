// From the data of a picture to boxes, lines and texts with places. No DOM: it runs in the page, and in an engine without a browser.
// Each open group is laid out by itself, by dagre, and is one box of the group around it.
"use strict";
var gradtape = (() => {
  const PALETTE = {
    light: {
      paper: "#f7f8fa", box: "#ffffff", line: "#d5dae2", text: "#1c2430", muted: "#66707f", edge: "#a9b3c1", accent: "#3367d6",
      group0: "#eef1f6", group1: "#e6ebf3", group2: "#dde4ef", groupline: "#c3ccd9", leaf: "#e9f5ee", leafline: "#8cc3a2",
      result: "#fff", bad: "#c5221f", badfill: "#fdecea", cut: "#b45309", cutfill: "#fef3e2", focus: "#3367d6", hit: "#f4b400",
      product: "#3367d6", elementwise: "#12958a", reduction: "#d97706", array: "#7c5cd6", other: "#7b8698", function: "#c2417c",
      heat0: "#fff7ec", heat1: "#fee3b8", heat2: "#fdbb74", heat3: "#f77f4a", heat4: "#d7301f",
    },
    dark: {
      paper: "#14171c", box: "#20252d", line: "#39414d", text: "#e8ecf2", muted: "#98a3b3", edge: "#5b6675", accent: "#8ab4f8",
      group0: "#1a1e25", group1: "#1f242c", group2: "#252b35", groupline: "#3d4653", leaf: "#1c2b24", leafline: "#4f8565",
      result: "#20252d", bad: "#f28b82", badfill: "#3a2020", cut: "#fbbc70", cutfill: "#382b1a", focus: "#8ab4f8", hit: "#fdd663",
      product: "#8ab4f8", elementwise: "#4fd1c5", reduction: "#fbbf5c", array: "#b39ddb", other: "#98a3b3", function: "#f48fb1",
      heat0: "#22262d", heat1: "#43301f", heat2: "#6e4220", heat3: "#a5502a", heat4: "#d9583a",
    },
  };
  const FAMILIES = [
    ["product", /matmul|conv|einsum|tensordot|dot|solve|cholesky|qr|svd|matvec|lstm|gru|attention/],
    ["reduction", /reduce|mean|sum|norm|max_pool|avg_pool|pool|cross_entropy|softmax|logsumexp|variance|moments|argm/],
    ["array", /reshape|transpose|concat|stack|slice|gather|pad|tile|split|expand|squeeze|identity|convert|cast|getitem|where|broadcast|scatter|reverse/],
  ];
  const GROUP_WORDS = { layer: "layer", scope: "scope", module: "module", function: "function", call: "call", loop: "loop", run: "run", round: "round",
    part: "part", while: "loop", body: "body", branches: "branches", branch: "branch" };
  const NARROW = new Set("iljtfrI.,:;'|![]()/ ");
  const WIDE = new Set("mwMWQOG@%×");

  // --- measures ---------------------------------------------------------------------------------------------------------

  function widthOf(text, size, mono) {
    if (mono) return text.length * size * 0.602;
    let units = 0;
    for (const c of text) units += NARROW.has(c) ? 0.34 : WIDE.has(c) ? 0.86 : c >= "A" && c <= "Z" ? 0.68 : 0.575;
    return units * size * (size > 12 ? 1.1 : 1);  // (larger text is bold)
  }
  function fitted(text, size, mono, room) {
    if (widthOf(text, size, mono) <= room) return text;
    let end = text.length;
    while (end > 1 && widthOf(text.slice(0, end) + "…", size, mono) > room) end--;
    return text.slice(0, end) + "…";
  }
  function bytes(count) {
    for (const unit of ["B", "KB", "MB"]) {
      if (count < 1000) return (unit === "B" ? count : count.toFixed(count < 10 ? 1 : 0)) + " " + unit;
      count /= 1000;
    }
    return count.toFixed(2) + " GB";
  }
  function seconds(time) {
    if (time < 1e-3) return (time * 1e6).toFixed(time < 1e-5 ? 1 : 0) + " µs";
    return time < 1 ? (time * 1e3).toFixed(time < 1e-2 ? 2 : 1) + " ms" : time.toFixed(2) + " s";
  }
  function short(number) {
    if (typeof number === "string") return number;
    if (number === 0) return "0";
    const size = Math.abs(number);
    return size >= 1e4 || size < 1e-3 ? number.toExponential(1) : String(Number(number.toPrecision(3)));
  }
  const plural = (count, word) => count.toLocaleString("en-US") + " " + word + (count === 1 ? "" : "s");

  // --- the model: who is inside of whom, and which lines cross which group ------------------------------------------------

  function model(data) {
    const nodes = data.nodes.map((node) => (node.same === undefined ? node : { ...data.nodes[node.same], same: node.same })), groups = [];
    const inside = new Array(nodes.length).fill(null);  // the group of a node
    const sum = (group, node) => {
      group.bytes += node.bytes || 0;
      if (node.fwd !== undefined) group.fwd = (group.fwd || 0) + node.fwd;
      if (node.bwd !== undefined) group.bwd = (group.bwd || 0) + node.bwd;
      if (!isLeaf(node)) group.count++;
      for (const mark of marksOf(node)) group.marks.add(mark);
    };
    const read = (raw, parent, depth) => {
      const group = { id: groups.length, key: "g" + groups.length, kind: raw.kind, name: raw.name, at: raw.at, note: raw.note || "", parent, depth,
        children: [], open: !!raw.open, count: 0, bytes: 0, marks: new Set(), edges: new Map(), ins: new Map(), outs: new Map() };
      groups.push(group);
      for (const child of raw.children) {
        if (typeof child === "number") {
          inside[child] = group;
          group.children.push("n" + child);
          sum(group, nodes[child]);
        } else {
          const inner = read(child, group, depth + 1);
          group.children.push(inner.key);
          group.bytes += inner.bytes; group.count += inner.count;
          for (const name of ["fwd", "bwd"]) if (inner[name] !== undefined) group[name] = (group[name] || 0) + inner[name];
          for (const mark of inner.marks) group.marks.add(mark);
        }
      }
      return group;
    };
    const root = read(data.root, null, 0);
    const users = nodes.map(() => []);
    nodes.forEach((node, place) => {
      for (const source of node.in || []) users[source].push(place), join(source, place, "");
      for (const source of node.lost || []) users[source].push(place), join(source, place, "lost");
    });
    function join(source, target, kind) {
      let a = "n" + source, b = "n" + target, ga = inside[source], gb = inside[target];
      const climb = (group, key, table, value) => {
        const found = table.get(value) || new Set();
        found.add(key);
        table.set(value, found);
      };
      const value = source + kind;
      while (ga !== gb) {
        if (ga.depth >= gb.depth) { climb(ga, a, ga.outs, value); a = ga.key; ga = ga.parent; }
        else { climb(gb, b, gb.ins, value); b = gb.key; gb = gb.parent; }
      }
      const key = a + ">" + b + ">" + kind;
      const edge = ga.edges.get(key) || { from: a, to: b, kind, values: new Set() };
      edge.values.add(value);
      ga.edges.set(key, edge);
    }
    const scales = { bytes: 0, time: 0, norm: [Infinity, -Infinity] };
    for (const node of nodes) {
      scales.bytes = Math.max(scales.bytes, node.bytes || 0);
      scales.time = Math.max(scales.time, (node.fwd || 0) + (node.bwd || 0));
      if (typeof node.norm === "number" && node.norm > 0) {
        scales.norm = [Math.min(scales.norm[0], node.norm), Math.max(scales.norm[1], node.norm)];
      }
    }
    return { data, nodes, groups, root, inside, users, scales };
  }
  const isLeaf = (node) => node.kind === "variable" || node.kind === "watched" || node.kind === "value";
  function marksOf(node) {
    const found = [...(node.marks || [])];
    if (node.kind === "cut") found.push("cut");
    return found;
  }
  function familyOf(node) {
    if (node.kind === "function" || node.kind === "result") return "function";
    for (const [family, names] of FAMILIES) if (names.test(node.name)) return family;
    return "elementwise";
  }

  // --- layout ---------------------------------------------------------------------------------------------------------------

  const HEAD = 30, PAD = 16, MOST_PORTS = 6, MOST_PARALLEL = 3;

  function sizeOf(picture, key) {
    if (key[0] === "g") {
      const group = picture.groups[+key.slice(1)];
      const title = widthOf(group.name, 12.5) + 52, words = widthOf(groupWords(group), 10.5) + 40;
      return { width: Math.min(300, Math.max(130, title, words)), height: 46 };
    }
    const node = picture.nodes[+key.slice(1)];
    const title = widthOf(nameOf(node), 12.5) + 30 + 16 * (node.marks || []).length, look = widthOf(node.look || "", 10.5, true) + 26;
    const facts = widthOf(factsOf(node), 10.5) + 26;
    const lines = 1 + (node.look ? 1 : 0) + (factsOf(node) ? 1 : 0);
    return { width: Math.min(230, Math.max(isLeaf(node) ? 60 : 76, title, look, facts)), height: 14 + 15 * lines };
  }
  function nameOf(node) {
    return node.kind === "variable" ? node.name.split("/").slice(-1)[0] : node.name;
  }
  function factsOf(node) {
    const found = [];
    if (node.bytes) found.push(bytes(node.bytes));
    if (node.fwd !== undefined || node.bwd !== undefined) found.push(seconds((node.fwd || 0) + (node.bwd || 0)));
    if (node.norm !== undefined) found.push("|∇| " + short(node.norm));
    return found.join(" · ");
  }
  function groupWords(group) {
    const found = [plural(group.count, "op")];
    if (group.bytes) found.push(bytes(group.bytes));
    if (group.fwd !== undefined || group.bwd !== undefined) found.push(seconds((group.fwd || 0) + (group.bwd || 0)));
    return found.join(" · ");
  }

  // The inside of an open group: places of children and lines, from its own corner on. Kept until something inside opens or closes.
  function inner(picture, group, open) {
    const key = group.children.map((child) => (child[0] === "g" ? signature(picture, child, open) : "")).join(",");
    if (group.laid && group.laid.key === key) return group.laid;
    const graph = new dagre.graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: "TB", nodesep: 22, ranksep: 34, edgesep: 14, marginx: 0, marginy: 0, ranker: "network-simplex" });
    const parts = new Map();
    for (const child of group.children) {
      const own = child[0] === "g" ? picture.groups[+child.slice(1)] : null;
      const laid = own && open.has(own.id) ? inner(picture, own, open) : null;
      const size = laid ? { width: laid.width, height: laid.height } : sizeOf(picture, child);
      parts.set(child, { key: child, laid, ...size });
      graph.setNode(child, { width: size.width, height: size.height });
    }
    const ports = { in: portsOf(group.ins), out: portsOf(group.outs) };
    if (ports.in.names.size) graph.setNode("top", { width: 1, height: 1 });
    if (ports.out.names.size) graph.setNode("bottom", { width: 1, height: 1 });
    const fed = new Set();
    for (const name of ports.in.names) {
      graph.setNode(name, { width: 2, height: 2 });
      graph.setEdge("top", name, { weight: 4 }, "t");
    }
    for (const name of ports.out.names) {
      graph.setNode(name, { width: 2, height: 2 });
      graph.setEdge(name, "bottom", { weight: 4 }, "t");
    }
    const lines = [];
    const line = (from, to, name, kind, values) => {
      graph.setEdge(from, to, { weight: 2 }, name);
      fed.add(to);
      lines.push({ from, to, name, kind, values });
    };
    for (const edge of group.edges.values()) {
      if (edge.values.size <= MOST_PARALLEL) for (const value of edge.values) line(edge.from, edge.to, value, edge.kind, [value]);
      else line(edge.from, edge.to, "all" + edge.kind, edge.kind, [...edge.values]);
    }
    const bundle = (table, direction) => {
      const seen = new Map();
      for (const [value, children] of table) {
        const port = ports[direction].of(value);
        for (const child of children) {
          const key = port + ">" + child;
          if (seen.has(key)) { seen.get(key).push(value); continue; }
          const values = [value];
          seen.set(key, values);
          line(direction === "in" ? port : child, direction === "in" ? child : port, "port", kindOf(value), values);
        }
      }
    };
    bundle(group.ins, "in");
    bundle(group.outs, "out");
    if (ports.in.names.size) {
      for (const child of group.children) {
        if (!fed.has(child) && !(child[0] === "n" && isLeaf(picture.nodes[+child.slice(1)]))) graph.setEdge("top", child, { weight: 0.01 }, "t");
      }
    }
    dagre.layout(graph);
    const named = group.parent !== null;
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    const reach = (x0, y0, x1, y1) => { left = Math.min(left, x0); right = Math.max(right, x1); top = Math.min(top, y0); bottom = Math.max(bottom, y1); };
    for (const child of group.children) {
      const { x, y, width, height } = graph.node(child);
      reach(x - width / 2, y - height / 2, x + width / 2, y + height / 2);
    }
    for (const one of lines) for (const point of graph.edge(one.from, one.to, one.name).points) {
      if (isPort(one.from) || isPort(one.to)) { left = Math.min(left, point.x); right = Math.max(right, point.x); } else reach(point.x, point.y, point.x, point.y);
    }
    if (!group.children.length) left = right = top = bottom = 0;
    const least = named ? Math.min(420, widthOf(group.name, 12.5) + widthOf(GROUP_WORDS[group.kind] || "", 10.5) + 60) : 0;
    const slack = Math.max(0, least - (right - left) - 2 * PAD) / 2;
    const dx = PAD + slack - left, dy = PAD + (named ? HEAD : 0) - top;
    const laid = { key, parts: [], lines: [], ports: { in: new Map(), out: new Map() }, port: ports,
      width: right - left + 2 * PAD + 2 * slack, height: bottom - top + 2 * PAD + (named ? HEAD : 0) };
    for (const child of group.children) {
      const { x, y } = graph.node(child), part = parts.get(child);
      laid.parts.push({ ...part, x: x + dx - part.width / 2, y: y + dy - part.height / 2 });
    }
    for (const name of ports.in.names) laid.ports.in.set(name, graph.node(name).x + dx);
    for (const name of ports.out.names) laid.ports.out.set(name, graph.node(name).x + dx);
    for (const one of lines) {
      const points = graph.edge(one.from, one.to, one.name).points.map((point) => ({ x: point.x + dx, y: point.y + dy }));
      if (isPort(one.from)) enter(points, { x: laid.ports.in.get(one.from), y: 0 }, HEAD);
      if (isPort(one.to)) leave(points, { x: laid.ports.out.get(one.to), y: laid.height });
      laid.lines.push({ ...one, points });
    }
    group.laid = laid;
    return laid;
  }
  // A line from outside comes straight down through the head of the group; one to outside ends at its lower edge.
  function enter(points, port, head) {
    while (points.length > 1 && points[0].y < head + 6) points.shift();
    points.unshift(port, { x: port.x, y: head });
  }
  function leave(points, port) {
    while (points.length > 1 && points[points.length - 1].y > port.y - 6) points.pop();
    points.push(port);
  }
  function signature(picture, key, open) {
    const group = picture.groups[+key.slice(1)];
    if (!open.has(group.id)) return "";
    return "(" + group.children.map((child) => (child[0] === "g" ? signature(picture, child, open) : "")).join(",") + ")";
  }
  function portsOf(table) {
    if (table.size <= MOST_PORTS) return { names: new Set([...table.keys()].map((value) => "p" + value)), of: (value) => "p" + value };
    return { names: new Set(["pall"]), of: () => "pall" };
  }
  const isPort = (key) => key[0] === "p";
  const kindOf = (value) => (value.endsWith("lost") ? "lost" : "");

  // The whole picture with these groups open: boxes, the outer before the inner, and lines.
  function scene(picture, open) {
    const boxes = [], lines = [];
    const place = (group, laid, x0, y0) => {
      const at = new Map();
      for (const part of laid.parts) {
        const box = { key: part.key, x: x0 + part.x, y: y0 + part.y, width: part.width, height: part.height, open: !!part.laid, depth: group.depth + 1 };
        at.set(part.key, { ...box, laid: part.laid });
        boxes.push(box);
        if (part.laid) place(picture.groups[+part.key.slice(1)], part.laid, box.x, box.y);
      }
      for (const one of laid.lines) {
        const points = one.points.map((point) => ({ x: x0 + point.x, y: y0 + point.y }));
        const from = at.get(one.from), to = at.get(one.to);
        if (from && from.laid) meet(points, 0, from, from.laid.ports.out.get(from.laid.port.out.of(one.values[0])), from.y + from.height);
        if (to && to.laid) meet(points, points.length - 1, to, to.laid.ports.in.get(to.laid.port.in.of(one.values[0])), to.y);
        lines.push({ points, kind: one.kind, count: one.values.length, values: one.values, from: one.from, to: one.to, arrow: !isPort(one.to) && !(to && to.laid) });
      }
    };
    const laid = inner(picture, picture.root, open);
    place(picture.root, laid, 0, 0);
    return { boxes, lines, width: laid.width, height: laid.height };
  }
  // A line to an open group ends where it goes on inside.
  function meet(points, index, box, x, y) {
    if (x !== undefined) points[index] = { x: box.x + x, y };
  }

  // --- drawing: rectangles, lines and texts in words of the palette ---------------------------------------------------------

  function heat(picture, node, by) {
    let level = null;
    const { scales } = picture;
    if (by === "bytes" && scales.bytes) level = (node.bytes || 0) / scales.bytes;
    if (by === "time" && scales.time && (node.fwd !== undefined || node.bwd !== undefined)) level = ((node.fwd || 0) + (node.bwd || 0)) / scales.time;
    if (by === "norm" && typeof node.norm === "number" && scales.norm[1] > 0) {
      const [low, high] = scales.norm.map(Math.log10);
      level = node.norm > 0 ? (high > low ? (Math.log10(node.norm) - low) / (high - low) : 1) : 0;
    }
    return level === null ? null : "heat" + Math.min(4, Math.floor(Math.max(0, level) * 4.999));
  }

  function drawn(picture, found, by) {
    const shapes = [];
    const rect = (box, more) => shapes.push({ shape: "rect", x: box.x, y: box.y, width: box.width, height: box.height, ...more });
    const text = (x, y, words, more) => shapes.push({ shape: "text", x, y, text: words, size: 10.5, fill: "muted", ...more });
    const containers = found.boxes.filter((box) => box.open), closed = found.boxes.filter((box) => !box.open);
    for (const box of containers) {
      const group = picture.groups[+box.key.slice(1)];
      shapes.push({ shape: "begin", key: box.key, kind: "group open" });
      rect(box, { radius: 10, fill: tint(box), stroke: marked(group) ? "bad" : "groupline" });
      shapes.push({ shape: "end" });
    }
    for (const line of found.lines) {
      shapes.push({ shape: "line", points: spline(line.points), stroke: line.kind === "lost" ? "cut" : "edge", dash: line.kind === "lost",
        width: line.count > 1 ? Math.min(4, 1.2 + Math.log2(line.count) * 0.5) : 1.3, arrow: line.arrow, from: line.from, to: line.to, values: line.values });
    }
    for (const box of containers) {  // above the lines that come through
      const group = picture.groups[+box.key.slice(1)], halo = tint(box);
      shapes.push({ shape: "begin", key: box.key, kind: "head" });
      shapes.push({ shape: "toggle", x: box.x + 17, y: box.y + 16, open: true, key: box.key });
      const word = GROUP_WORDS[group.kind] || "";
      const room = box.width - 46 - widthOf(word, 10.5);
      text(box.x + 30, box.y + 20, fitted(group.name, 12.5, false, room), { size: 12.5, weight: 600, fill: "text", halo });
      text(box.x + box.width - 10, box.y + 20, word, { anchor: "end", halo });
      shapes.push({ shape: "end" });
    }
    for (const box of closed) {
      shapes.push({ shape: "begin", key: box.key, kind: box.key[0] === "g" ? "group" : "node " + picture.nodes[+box.key.slice(1)].kind });
      if (box.key[0] === "g") drawGroup(picture, box, rect, text, shapes); else drawNode(picture, box, rect, text, shapes, by);
      shapes.push({ shape: "end" });
    }
    return shapes;
  }
  const tint = (box) => "group" + Math.min(2, box.depth - 1);
  const marked = (group) => [...group.marks].some((mark) => mark !== "cut");
  function drawGroup(picture, box, rect, text, shapes) {
    const group = picture.groups[+box.key.slice(1)];
    rect({ ...box, x: box.x + 4, y: box.y + 4 }, { radius: 9, fill: "group2", stroke: "groupline" });
    rect(box, { radius: 9, fill: "box", stroke: marked(group) ? "bad" : "groupline", main: true });
    shapes.push({ shape: "toggle", x: box.x + 17, y: box.y + 18, open: false, key: box.key });
    text(box.x + 31, box.y + 21, fitted(group.name, 12.5, false, box.width - 42), { size: 12.5, weight: 600, fill: "text" });
    text(box.x + 31, box.y + 36, fitted(groupWords(group), 10.5, false, box.width - 40));
    if (group.marks.size) shapes.push({ shape: "dot", x: box.x + box.width - 10, y: box.y + 10, fill: marked(group) ? "bad" : "cut" });
  }
  function drawNode(picture, box, rect, text, shapes, by) {
    const node = picture.nodes[+box.key.slice(1)];
    const leaf = isLeaf(node), marks = node.marks || [], ends = node.kind === "cut" || node.kind === "exit", faint = node.kind === "lost";
    const warm = heat(picture, node, by);
    const bad = marks.length > 0;
    rect(box, { radius: leaf ? Math.min(16, box.height / 2) : 7, main: true, dash: ends || faint,
      fill: warm || (bad ? "badfill" : ends ? "cutfill" : leaf ? "leaf" : "box"), stroke: bad ? "bad" : ends || faint ? "cut" : leaf ? "leafline" : "line" });
    if (!leaf && !ends && !faint) rect({ x: box.x + 4, y: box.y + 7, width: 3, height: box.height - 14 }, { radius: 1.5, fill: familyOf(node) });
    let y = box.y + 19;
    const middle = box.x + box.width / 2 + (leaf ? 0 : 3), room = box.width - 18;
    text(middle, y, fitted(nameOf(node), 12.5, false, room - 15 * marks.length), { size: 12.5, weight: 600, fill: faint ? "muted" : "text", anchor: "middle" });
    if (node.look) text(middle, (y += 15), fitted(node.look, 10.5, true, room), { mono: true, anchor: "middle" });
    if (factsOf(node)) text(middle, (y += 15), fitted(factsOf(node), 10.5, false, room), { anchor: "middle" });
    if (bad) tag(shapes, box.x + box.width, box.y, marks.map(markWord).join(" "), "bad");
    else if (node.kind === "cut") tag(shapes, box.x + box.width, box.y, "cut", "cut");
  }
  const markWord = (mark) => ({ nan: "NaN", inf: "Inf", none: "None", "bad gradient": "∇ NaN", "infinite gradient": "∇ Inf" })[mark] || mark;
  function tag(shapes, right, top, words, fill) {
    const width = widthOf(words, 9.5) + 12;
    shapes.push({ shape: "rect", x: right - width + 6, y: top - 8, width, height: 15, radius: 7.5, fill, main: false });
    shapes.push({ shape: "text", x: right - width / 2 + 6, y: top + 3, text: words, size: 9.5, weight: 700, fill: "paper", anchor: "middle" });
  }
  // A cubic B-spline through the first and the last point, as one list: start, then (control, control, end) again and again.
  function spline(points) {
    const p = points.filter((point, i) => i === 0 || Math.abs(point.x - points[i - 1].x) + Math.abs(point.y - points[i - 1].y) > 0.5);
    if (p.length < 3) return p.length < 2 ? [points[0]] : [p[0], mix(p[0], p[1], 1 / 3), mix(p[0], p[1], 2 / 3), p[1]];
    const path = [p[0]];
    const knot = (a, b, c) => ({ x: (a.x + 4 * b.x + c.x) / 6, y: (a.y + 4 * b.y + c.y) / 6 });
    const padded = [p[0], ...p, p[p.length - 1]];
    let from = p[0];
    for (let i = 1; i < padded.length - 1; i++) {
      const last = i === padded.length - 2;
      if (i === 1) {
        const end = mix(p[0], p[1], 1 / 6);
        path.push(p[0], p[0], end); from = end;
        continue;
      }
      const end = last ? p[p.length - 1] : knot(padded[i - 1], padded[i], padded[i + 1]);
      path.push(mix(padded[i - 1], padded[i], 1 / 3), mix(padded[i - 1], padded[i], 2 / 3), end);
    }
    return path;
  }
  const mix = (a, b, t) => ({ x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t });

  // --- as SVG ---------------------------------------------------------------------------------------------------------------

  const escape = (words) => String(words).replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);
  const n = (number) => String(Math.round(number * 10) / 10);

  function svg(shapes) {
    const out = [];
    for (const s of shapes) {
      if (s.shape === "begin") out.push(`<g class="item ${s.kind}" data-key="${s.key}">`);
      else if (s.shape === "end") out.push("</g>");
      else if (s.shape === "rect") {
        out.push(`<rect x="${n(s.x)}" y="${n(s.y)}" width="${n(s.width)}" height="${n(s.height)}" rx="${n(s.radius)}" class="f-${s.fill}${s.stroke ? " s-" + s.stroke : ""}` +
          `${s.main ? " main" : ""}"${s.dash ? ' stroke-dasharray="4 3"' : ""}/>`);
      } else if (s.shape === "text") {
        out.push(`<text x="${n(s.x)}" y="${n(s.y)}" font-size="${s.size}" class="f-${s.fill}${s.mono ? " mono" : ""}${s.halo ? ` halo s-${s.halo}` : ""}"${s.weight ? ` font-weight="${s.weight}"` : ""}` +
          `${s.anchor ? ` text-anchor="${s.anchor}"` : ""}>${escape(s.text)}</text>`);
      } else if (s.shape === "dot") out.push(`<circle cx="${n(s.x)}" cy="${n(s.y)}" r="4" class="f-${s.fill}"/>`);
      else if (s.shape === "toggle") {
        out.push(`<g class="toggle" data-toggle="${s.key}"><circle cx="${n(s.x)}" cy="${n(s.y)}" r="13" fill="transparent"/><circle cx="${n(s.x)}" cy="${n(s.y)}" r="7" class="f-box s-muted"/>` +
          `<path d="M${n(s.x - 3.5)} ${n(s.y)}h7${s.open ? "" : `m-3.5 -3.5v7`}" class="s-muted" fill="none" stroke-width="1.4"/></g>`);
      } else if (s.shape === "line") {
        const [first, ...rest] = s.points;
        let d = `M${n(first.x)} ${n(first.y)}`;
        for (let i = 0; i + 2 < rest.length; i += 3) d += `C${n(rest[i].x)} ${n(rest[i].y)} ${n(rest[i + 1].x)} ${n(rest[i + 1].y)} ${n(rest[i + 2].x)} ${n(rest[i + 2].y)}`;
        out.push(`<path d="${d}" class="line s-${s.stroke}" fill="none" stroke-width="${n(s.width)}"${s.dash ? ' stroke-dasharray="4 3"' : ""}` +
          `${s.arrow ? ` marker-end="url(#${s.stroke === "cut" ? "arrow-cut" : "arrow"})"` : ""} data-from="${s.from}" data-to="${s.to}"/>`);
      }
    }
    return out.join("");
  }
  const DEFINITIONS = '<defs><marker id="arrow" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0.5 0.8L7 4L0.5 7.2z" class="f-edge"/></marker>' +
    '<marker id="arrow-cut" viewBox="0 0 8 8" refX="6.5" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0.5 0.8L7 4L0.5 7.2z" class="f-cut"/></marker></defs>';

  // The colours as classes, for a theme, or for both by what the reader prefers.
  function styles(theme) {
    const names = Object.keys(PALETTE.light);
    const variables = (colours) => names.map((name) => `--${name}:${colours[name]};`).join("");
    const chosen = theme === "dark" ? PALETTE.dark : PALETTE.light;
    const classes = names.map((name) => `.f-${name}{fill:var(--${name})}.s-${name}{stroke:var(--${name})}`).join("");
    const auto = theme === "auto" ? `@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${variables(PALETTE.dark)}}}:root[data-theme=dark]{${variables(PALETTE.dark)}}` : "";
    return `:root{${variables(chosen)}}${auto}${classes}.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}.halo{paint-order:stroke;stroke-width:5px;stroke-linejoin:round}`;
  }
  const FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif';

  function standalone(picture, open, by, theme) {
    const found = scene(picture, open), margin = 12;
    const shapes = drawn(picture, found, by);
    const width = Math.ceil(found.width + 2 * margin), height = Math.ceil(found.height + 2 * margin + 26);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-margin} ${-margin - 26} ${width} ${height}" font-family="${escape(FONT)}">` +
      `<style>${styles(theme)}</style>${DEFINITIONS}<rect x="${-margin}" y="${-margin - 26}" width="${width}" height="${height}" class="f-paper"/>` +
      `<text x="4" y="-14" font-size="13" font-weight="600" class="f-text">${escape(titleOf(picture))}</text>${svg(shapes)}</svg>`;
  }
  const titleOf = (picture) => [picture.data.title, ...picture.data.facts].join("  ·  ");
  function painted(picture, open, by, theme) {
    const found = scene(picture, open);
    return { shapes: drawn(picture, found, by), width: found.width, height: found.height, palette: PALETTE[theme], title: titleOf(picture) };
  }
  const opened = (picture) => new Set(picture.groups.filter((group) => group.open).map((group) => group.id));

  return { PALETTE, DEFINITIONS, FONT, model, scene, drawn, svg, styles, standalone, painted, opened, isLeaf, marksOf, markWord, bytes, seconds, short, plural,
    groupWords, nameOf, escape, GROUP_WORDS };
})();
