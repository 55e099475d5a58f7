"""Compares index files as far as the project promises equal bytes."""

import struct

PAGE_SIZE = 8192


def _masked(page):
    """The page without its LSN, its checksum and the unused space between pd_lower and pd_upper."""
    lower, upper = struct.unpack_from("<HH", page, 12)
    if not 24 <= lower <= upper <= PAGE_SIZE:
        return page
    return page[10:lower], page[upper:]


def first_difference(ours, servers):
    """Returns None for equal files, or one line that says where they part."""
    if len(ours) != len(servers):
        return f"{len(ours) // PAGE_SIZE} pages, the server's file has {len(servers) // PAGE_SIZE}"
    for start in range(0, len(ours), PAGE_SIZE):
        mine, theirs = ours[start:start + PAGE_SIZE], servers[start:start + PAGE_SIZE]
        if mine != theirs and _masked(mine) != _masked(theirs):
            return f"page {start // PAGE_SIZE} differs from the server's"
    return None
