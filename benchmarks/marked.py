"""Pages of which a part is written by a program: what stands between two marks."""


def replaced(page: str, begin: str, block: str, end: str, *, name: str) -> str:
    """Return a page, called ``name`` in faults, with another block between its marks.

    Raises:
        ValueError: If a mark is missing.
    """
    before, found_begin, rest = page.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found_begin and found_end):
        raise ValueError(f"{name} needs the lines {begin.strip()!r} and {end!r}")
    return f"{before}{begin}{block}{end}{after}"
