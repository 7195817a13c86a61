"""Machine code on disk: what is kept, and everything that must not be used."""

import errno
import logging
import multiprocessing
import os
import pathlib
import resource
import sys
import time

import pytest

from gradtape.cli.command import main
from gradtape.native import object_cache
from gradtape.native.object_cache import NoCache, ObjectCache, key_of

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no cache on this system"),
    pytest.mark.quick,
]

KEY, OTHER = key_of("this"), key_of("other")
CODE = bytes(range(256)) * 20


@pytest.fixture
def cache(tmp_path):
    return ObjectCache(str(tmp_path / "kernels"))


@pytest.fixture
def lines(caplog):
    """What the logger said."""
    caplog.set_level(logging.DEBUG, "gradtape")
    return lambda: [record.getMessage() for record in caplog.records]


def file_of(cache, key=KEY):
    return pathlib.Path(cache.path, f"{key}.o")


# --- what works --------------------------------------------------------------------------------------------------------------


def test_what_is_stored_is_loaded(cache, lines):
    assert cache.load(KEY) is None
    cache.store(KEY, CODE)
    assert cache.load(KEY) == CODE
    assert ObjectCache(cache.path).load(KEY) == CODE
    assert cache.load(OTHER) is None
    assert lines() == []


def test_the_folder_and_its_files_are_the_users_alone(cache):
    before = os.umask(0)
    try:
        cache.store(KEY, CODE)
    finally:
        os.umask(before)
    assert os.stat(cache.path).st_mode & 0o777 == 0o700
    assert file_of(cache).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in pathlib.Path(cache.path).iterdir()] == [f"{KEY}.o"]


def test_reading_makes_no_folder(cache):
    cache.load(KEY)
    assert not os.path.exists(cache.path)
    assert cache.contents() == cache.clear() == (0, 0)
    assert not os.path.exists(cache.path)


def test_keys_differ_in_every_part():
    keys = {key_of(*parts) for parts in (("ab", "c"), ("a", "bc"), ("abc",), ("abc", ""), ("", "abc"), ("c", "ab"))}
    assert len(keys) == 6


def test_clear_removes_its_own_files_and_no_others(cache):
    cache.store(KEY, CODE)
    cache.store(OTHER, CODE)
    half, foreign = pathlib.Path(cache.path, f".{KEY}.o.{'0' * 16}"), pathlib.Path(cache.path, "notes.txt")
    half.write_bytes(b"half")
    foreign.write_text("mine")
    files, size = cache.clear()
    assert (files, size >= 2 * len(CODE)) == (2, True)
    assert list(pathlib.Path(cache.path).iterdir()) == [foreign]


def test_what_was_not_used_for_the_longest_time_makes_room(cache):
    small = ObjectCache(cache.path, most_bytes=10 * 8192)
    keys = [key_of(str(k)) for k in range(11)]
    now = time.time()
    for age, key in enumerate(keys):
        cache.store(key, CODE)
        os.utime(file_of(cache, key), (now - 1e6 + age, now - 1e6 + age))
    assert small.load(keys[0]) == CODE  # so the others are older
    small.store(KEY, CODE)
    left = {key for key in (*keys, KEY) if cache.load(key)}
    assert {keys[0], keys[-1], KEY} <= left
    assert keys[1] not in left
    assert cache.contents().bytes <= 10 * 8192


def test_what_a_killed_process_left_unfinished_is_removed_after_an_hour(cache):
    os.mkdir(cache.path, 0o700)
    fresh, old = (pathlib.Path(cache.path, f".{KEY}.o.{digit * 16}") for digit in "01")
    for path in (fresh, old):
        path.write_bytes(b"half")
    os.utime(old, (0, time.time() - 4000))
    cache.store(KEY, CODE)
    assert fresh.exists()
    assert not old.exists()


# --- folders that are not used -----------------------------------------------------------------------------------------------


def is_not_used(cache, lines, why):
    assert cache.load(KEY) is None
    for _ in range(3):
        cache.store(OTHER, CODE)
        assert cache.load(OTHER) is None
    (line,) = lines()
    assert "Machine code is" in line
    assert why in line


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701, 0o777, 0o1777])
def test_a_folder_that_others_may_enter(cache, lines, mode):
    cache.store(KEY, CODE)
    os.chmod(cache.path, mode)
    is_not_used(cache, lines, "must be 700")
    assert len(os.listdir(cache.path)) == 1
    with pytest.raises(NoCache, match="others may enter"):
        cache.contents()
    with pytest.raises(NoCache, match="others may enter"):
        cache.clear()


def test_a_folder_of_somebody_else(cache, lines, monkeypatch):
    cache.store(KEY, CODE)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    is_not_used(cache, lines, "belongs to the user")


def test_a_link_in_place_of_the_folder(cache, lines, tmp_path):
    cache.store(KEY, CODE)
    os.symlink(cache.path, tmp_path / "link")
    is_not_used(ObjectCache(str(tmp_path / "link")), lines, "link")


def test_a_file_in_place_of_the_folder(cache, lines):
    pathlib.Path(cache.path).write_text("no folder")
    is_not_used(cache, lines, "kernels")


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EMFILE])
def test_a_folder_that_cannot_be_written_is_read(cache, lines, monkeypatch, number):
    cache.store(KEY, CODE)
    unchanged = os.open

    def refuse(path, flags, *rest, **options):
        if flags & os.O_CREAT:
            raise OSError(number, os.strerror(number), path)
        return unchanged(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    for _ in range(3):
        cache.store(OTHER, CODE)
        assert cache.load(OTHER) is None
        assert cache.load(KEY) == CODE
    (line,) = lines()
    assert os.strerror(number) in line


def test_a_disk_that_is_full_in_the_middle_of_a_file(cache, lines):
    """(As a limit of the size of files, which the system enforces.)"""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        cache.store(KEY, CODE)
        assert cache.load(KEY) is None
        assert os.listdir(cache.path) == []
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "File too large" in lines()[0]


@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_without_the_right_to_write(cache, lines):
    cache.store(KEY, CODE)
    os.chmod(cache.path, 0o500)
    cache.store(OTHER, CODE)
    assert cache.load(KEY) == CODE
    assert "Permission denied" in lines()[0]


def test_an_interrupt_leaves_nothing_behind(cache, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cache.store(KEY, CODE)
    assert os.listdir(cache.path) == []


# --- where it is -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def environment(monkeypatch, tmp_path):
    for name in ("GRADTAPE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    object_cache.of_user.cache_clear()
    yield monkeypatch
    object_cache.of_user.cache_clear()


def test_it_is_in_the_users_caches(environment, tmp_path):
    caches = tmp_path / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    assert object_cache.folder() == str(caches / "gradtape" / "kernels")
    environment.setenv("XDG_CACHE_HOME", "relative")  # (the standard says that such a value is ignored)
    assert object_cache.folder() == str(caches / "gradtape" / "kernels")
    environment.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert object_cache.folder() == "/elsewhere/gradtape/kernels"
    environment.setenv("GRADTAPE_CACHE", "/a/folder")
    assert object_cache.folder() == "/a/folder"
    environment.setenv("GRADTAPE_CACHE", "")
    assert object_cache.folder() == "/elsewhere/gradtape/kernels"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("GRADTAPE_CACHE", "0", "turns it off"),
        ("GRADTAPE_CACHE", "kernels", "must be 0 or the absolute path"),
        ("HOME", "/no/such/folder", "no home folder"),
        ("HOME", "relative", "no home folder"),
        ("HOME", "", "no home folder"),
    ],
)
def test_there_is_none(environment, lines, name, value, why):
    environment.setenv(name, value)
    assert object_cache.of_user() is object_cache.of_user() is None
    (line,) = lines()
    assert why in line


def test_a_system_without_owners_of_folders(environment, lines):
    environment.delattr(os, "geteuid")
    assert object_cache.of_user() is None
    assert "who may write" in lines()[0]


# --- hostile files -----------------------------------------------------------------------------------------------------------


def damaged(cache):
    """One file after the other that is not what was stored."""
    whole = file_of(cache).read_bytes()
    for place in (0, 5, len(whole) - len(CODE) - 1, len(whole) - len(CODE), len(whole) // 2, len(whole) - 1):
        yield whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
    for length in (0, 1, 17, 18, 49, 50, 51, len(whole) - 1):
        yield whole[:length]
    yield whole + b"\0"
    yield bytes(len(whole))
    yield CODE


def test_a_damaged_file_is_not_used_and_written_again(cache, lines):
    cache.store(KEY, CODE)
    for count, data in enumerate(damaged(cache), 1):
        file_of(cache).write_bytes(data)
        assert cache.load(KEY) is None, data[:60]
        assert len(lines()) == count
        cache.store(KEY, CODE)
        assert cache.load(KEY) == CODE


def test_a_file_under_another_name_is_not_used(cache):
    cache.store(OTHER, CODE)
    os.rename(file_of(cache, OTHER), file_of(cache))
    assert cache.load(KEY) is None


def linked(path, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    os.rename(path, elsewhere)
    os.symlink(elsewhere, path)


def open_to_others(path, tmp_path):
    path.chmod(0o622)


def large(path, tmp_path):
    os.truncate(path, 1 << 40)


def pipe(path, tmp_path):
    path.unlink()
    os.mkfifo(path)


def folder(path, tmp_path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("exchange", [linked, open_to_others, large, pipe, folder])
def test_a_foreign_file_is_not_used(cache, lines, tmp_path, exchange):
    cache.store(KEY, CODE)
    exchange(file_of(cache), tmp_path)
    assert cache.load(KEY) is None
    assert len(lines()) == 1
    cache.store(KEY, CODE)
    assert cache.load(KEY) == (None if exchange is folder else CODE)
    assert cache.load(OTHER) is None


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_somebody_else_is_not_used(cache):
    cache.store(KEY, CODE)
    os.chown(file_of(cache), 1, 1)
    assert cache.load(KEY) is None


# --- several processes -------------------------------------------------------------------------------------------------------


def _work(path, number):
    cache = ObjectCache(path, most_bytes=20 * 8192)
    for turn in range(150):
        key = key_of(str(turn % 30))
        found = cache.load(key)
        assert found in (None, key.encode() * 50)
        cache.store(key, key.encode() * 50)
        if turn % 40 == number:
            cache.clear()


def test_several_processes_at_once(cache):
    start = multiprocessing.get_context("fork")
    workers = [start.Process(target=_work, args=(cache.path, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert not [name for name in os.listdir(cache.path) if name.startswith(".")]


# --- the command line --------------------------------------------------------------------------------------------------------


def test_the_command_shows_and_clears_it(cache, environment, capsys):
    def gradtape_cache(*arguments):
        status = main(["cache", *arguments])
        return status, "".join(capsys.readouterr())

    environment.setenv("GRADTAPE_CACHE", cache.path)
    cache.store(KEY, CODE)
    status, shown = gradtape_cache()
    assert status == 0
    assert cache.path in shown
    assert "1 kernel," in shown
    assert cache.load(KEY) == CODE
    assert "removed 1 kernel," in gradtape_cache("clear")[1]
    assert cache.load(KEY) is None
    assert "0 kernels, 0 MiB (at most 128 MiB)" in gradtape_cache("show")[1]
    os.chmod(cache.path, 0o755)
    status, refused = gradtape_cache("clear")
    assert status == 1
    assert "must be 700" in refused
    environment.setenv("GRADTAPE_CACHE", "0")
    status, off = gradtape_cache()
    assert status == 1
    assert "gradtape cache: error: GRADTAPE_CACHE=0 turns it off" in off
