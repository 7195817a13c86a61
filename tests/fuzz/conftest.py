"""The worker needs atheris, and reads its arguments when it is imported: there are no tests in it."""

collect_ignore = ["worker.py"]
