"""docs/ops.md says what the registry holds."""

from . import page


def test_the_page_is_up_to_date() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), "run python -m tests.ops.page"
