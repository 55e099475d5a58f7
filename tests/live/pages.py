"""Compares index files as far as the project promises equal bytes."""

import struct

PAGE_SIZE = 8192


FLAG_DELETED, FLAG_META = 4, 8


def _flags(page):
    return struct.unpack_from("<H", page, PAGE_SIZE - 4)[0]


def _masked(page):
    """The page without its LSN, its checksum and the unused space between pd_lower and pd_upper, and without what
    depends on the transactions around: the one that a deleted page waits for, and in the metapage the number of pages
    that wait."""
    lower, upper = struct.unpack_from("<HH", page, 12)
    if not 24 <= lower <= upper <= PAGE_SIZE:
        return page
    if _flags(page) & FLAG_DELETED:
        return page[10:24], page[upper:]
    if _flags(page) & FLAG_META:
        return page[10:48], page[52:lower], page[upper:]
    return page[10:lower], page[upper:]


def has_deleted_page(data):
    """Whether VACUUM has taken a page out of the index."""
    return any(_flags(data[start:start + PAGE_SIZE]) & FLAG_DELETED for start in range(0, len(data), PAGE_SIZE))


def first_difference(ours, servers):
    """Returns None for equal files, or one line that says where they part."""
    if len(ours) != len(servers):
        return f"{len(ours) // PAGE_SIZE} pages, the server's file has {len(servers) // PAGE_SIZE}"
    for start in range(0, len(ours), PAGE_SIZE):
        mine, theirs = ours[start:start + PAGE_SIZE], servers[start:start + PAGE_SIZE]
        if mine != theirs and _masked(mine) != _masked(theirs):
            return f"page {start // PAGE_SIZE} differs from the server's"
    return None
