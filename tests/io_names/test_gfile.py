"""tf.io.gfile: what each function does, and the classes of its errors, as observed with TensorFlow."""

import pytest

import gradtape as tf

G = tf.io.gfile


@pytest.fixture
def folder(tmp_path):
    """A folder with a file of two lines and an empty folder in it."""
    (tmp_path / "a.txt").write_text("hello\nworld\n")
    (tmp_path / "sub").mkdir()
    return tmp_path


def test_reading_text(folder):
    with G.GFile(folder / "a.txt") as file:
        assert file.read(2) == "he"
        assert file.tell() == 2
        assert file.readline() == "llo\n"
        assert file.readlines() == ["world\n"]
        assert file.readline() == ""
        file.seek(offset=1)
        assert file.read() == "ello\nworld\n"
        file.seek(-3, 2)
        assert file.read() == "ld\n"
        assert file.size() == 12
        assert (file.mode, file.seekable()) == ("r", True)
    with G.GFile(str(folder / "a.txt"), "rb") as file:
        assert list(file) == [b"hello\n", b"world\n"]


def test_writing_and_appending(folder):
    path = folder / "new.txt"
    with G.GFile(path, "w") as file:
        file.write("ä")
        file.write(b"\r\n")
        file.flush()
        assert path.read_bytes() == "ä\r\n".encode()
    with G.GFile(path, "a") as file:
        file.write("more")
    with G.GFile(path, "r+") as file:
        assert file.read() == "ä\r\nmore"
    with G.GFile(path, "w"):
        pass
    assert path.read_bytes() == b""


def test_wrong_use_of_a_file(folder):
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not"):
        G.GFile(folder / "a.txt", "x")
    none = G.GFile(folder / "none")  # (opened when it is read)
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        none.read()
    with G.GFile(folder / "a.txt") as file:
        with pytest.raises(tf.errors.PermissionDeniedError, match="for writing"):
            file.write("x")
        with pytest.raises(tf.errors.InvalidArgumentError, match="whence"):
            file.seek(0, 3)
        with pytest.raises(TypeError, match="offset"):
            file.seek()
    with G.GFile(folder / "b.txt", "w") as file, pytest.raises(tf.errors.PermissionDeniedError, match="for reading"):
        file.read()
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        G.GFile(folder).read()


def test_asking(folder):
    assert G.exists(folder / "a.txt")
    assert not G.exists(folder / "none")
    assert not G.exists("")
    assert G.isdir(f"file://{folder}")
    assert not G.isdir(folder / "a.txt")
    found = G.stat(folder / "a.txt")
    assert (found.length, found.is_directory) == (12, False)
    assert found.mtime_nsec > 0
    assert G.listdir(folder) == ["a.txt", "sub"]
    assert G.join("a", "b", "/c") == "/c"
    assert G.join("gs://a", "b") == "gs://a/b"
    for missing in (folder / "none", folder / "a.txt"):
        with pytest.raises(tf.errors.NotFoundError, match="Could not find directory"):
            G.listdir(missing)
    with pytest.raises(tf.errors.NotFoundError):
        G.stat(folder / "none")


def test_patterns(folder):
    (folder / ".hidden.txt").write_text("")
    (folder / "sub" / "b.txt").write_text("")
    assert G.glob(f"{folder}/*.txt") == [f"{folder}/.hidden.txt", f"{folder}/a.txt"]
    assert G.glob([f"{folder}/s*", f"{folder}/a*"]) == [f"{folder}/sub", f"{folder}/a.txt"]
    assert G.glob(f"{folder}/**/*.txt") == [f"{folder}/sub/b.txt"]
    assert G.glob(f"{folder}/q*") == []


def test_making_folders(folder):
    G.mkdir(folder / "new")
    G.mkdir(folder / "new")
    G.makedirs(folder / "deep" / "er")
    G.makedirs(folder / "deep" / "er")
    assert G.isdir(folder / "deep" / "er")
    with pytest.raises(tf.errors.NotFoundError):
        G.mkdir(folder / "x" / "y")
    with pytest.raises(tf.errors.FailedPreconditionError, match="not a directory"):
        G.makedirs(folder / "a.txt")


def test_copying_and_renaming(folder):
    source, target = folder / "a.txt", folder / "c.txt"
    G.copy(source, target)
    for change in (G.copy, G.rename):
        with pytest.raises(tf.errors.AlreadyExistsError, match="overwrite=True"):
            change(source, target)
        with pytest.raises(tf.errors.NotFoundError):
            change(folder / "none", target)
    source.write_text("new")
    G.copy(source, target, overwrite=True)
    assert target.read_text() == "new"
    G.rename(target, source, overwrite=True)
    assert not target.exists()
    G.rename(source, folder / "d.txt")
    assert (folder / "d.txt").read_text() == "new"


def test_removing(folder):
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        G.remove(folder / "sub")
    G.remove(folder / "a.txt")
    with pytest.raises(tf.errors.NotFoundError):
        G.remove(folder / "a.txt")
    (folder / "sub" / "b.txt").write_text("")
    G.rmtree(folder / "sub")
    assert not G.exists(folder / "sub")
    with pytest.raises(tf.errors.NotFoundError):
        G.rmtree(folder / "sub")


def test_a_link_to_a_folder_is_removed_and_not_what_it_leads_to(folder):
    (folder / "sub" / "kept.txt").write_text("")
    (folder / "link").symlink_to(folder / "sub")
    G.rmtree(folder / "link")
    assert (folder / "sub" / "kept.txt").exists()


def test_walking(folder):
    (folder / "sub" / "b.txt").write_text("")
    down = [(path.removeprefix(str(folder)), folders, files) for path, folders, files in G.walk(folder)]
    assert down == [("", ["sub"], ["a.txt"]), ("/sub", [], ["b.txt"])]
    assert [path.removeprefix(str(folder)) for path, *_ in G.walk(folder, topdown=False)] == ["/sub", ""]
    seen = []
    assert list(G.walk(folder / "none", onerror=seen.append)) == []
    assert isinstance(seen[0], tf.errors.NotFoundError)


@pytest.mark.parametrize(
    "use", [G.exists, G.GFile, G.listdir, G.glob, G.remove, tf.io.read_file, lambda path: G.copy("/etc/hosts", path)]
)
@pytest.mark.parametrize("path", ["gs://bucket/x", "s3://bucket/x", "hdfs://x"])
def test_other_systems_are_named(use, path):
    with pytest.raises(tf.errors.UnimplementedError, match=r"scheme '\w+' not implemented.*copy it here first"):
        use(path)


def test_paths_are_text(folder):
    with pytest.raises(TypeError, match="path or a name"):
        G.exists(3)
    assert G.exists(tf.constant(str(folder)))


# --- whole files -----------------------------------------------------------------------------------------------------


def test_whole_files(folder):
    read = tf.io.read_file(str(folder / "a.txt"))
    assert (read.dtype, read.shape, read.numpy()) == (tf.string, (), b"hello\nworld\n")
    tf.io.write_file(tf.constant(str(folder / "new" / "f")), tf.constant(b"\0x"))
    assert (folder / "new" / "f").read_bytes() == b"\0x"
    tf.io.write_file(folder / "new" / "f", "text")
    assert tf.io.read_file(folder / "new" / "f").numpy() == b"text"


def test_matching_files(folder):
    (folder / "b.txt").write_text("")
    assert tf.io.matching_files(f"{folder}/*.txt").numpy().tolist() == [f"{folder}/{n}.txt".encode() for n in "ab"]
    assert tf.io.matching_files([f"{folder}/s*", f"{folder}/b*"]).shape == (2,)
    none = tf.io.matching_files(f"{folder}/q*")
    assert (none.dtype, none.shape) == (tf.string, (0,))


def test_wrong_whole_files(folder):
    for call, error in [
        (lambda: tf.io.read_file(str(folder / "none")), tf.errors.NotFoundError),
        (lambda: tf.io.read_file(str(folder)), tf.errors.FailedPreconditionError),
        (lambda: tf.io.read_file(["a"]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.write_file(str(folder / "f"), 1.0), TypeError),
        (lambda: tf.io.write_file(str(folder / "f"), ["a"]), tf.errors.InvalidArgumentError),
        (lambda: tf.io.write_file(str(folder / "a.txt" / "f"), "x"), tf.errors.OpError),
    ]:
        with pytest.raises(error):
            call()
    assert not (folder / "f").exists()


def test_files_inside_a_function_are_read_and_written_at_each_run(folder):
    path = str(folder / "a.txt")

    @tf.function
    def exchange(name, contents):
        before = tf.io.read_file(name)
        tf.io.write_file(name, contents)
        return before

    assert exchange(tf.constant(path), tf.constant("one")).numpy() == b"hello\nworld\n"
    assert exchange(tf.constant(path), tf.constant("two")).numpy() == b"one"
    assert tf.io.read_file(path).numpy() == b"two"
