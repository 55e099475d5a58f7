"""What a fixture is: a name, the statements that make an index, and what the result must hold."""

import dataclasses
from typing import Callable, Optional


@dataclasses.dataclass(frozen=True)
class Fixture:
    """One index to make. The table is always `t` and the index `i`, in a schema of their own.

    name         folder under corpus/postgres.
    story        one sentence: why the fixture exists.
    sql          psql script that makes `t` and `i`.
    claims       conditions over the captured state (see capture.PageState), as Python expressions;
                 the generator fails if one of them does not hold.
    rebuildable  CREATE INDEX was the last thing that wrote the index and the rows are unchanged since, so
                 that a build of the same rows must give the same bytes.
    checksums    which of the two clusters makes it.
    page_size    bytes; others than 8192 need a server that was built for them.
    fork         'main' or 'init'.
    after        called with the cluster once `sql` has run, for what SQL alone cannot do; it returns
                 statements to be recorded after those of `sql`.
    notes        how the state was got, where the statements do not say it.
    """

    name: str
    story: str
    sql: str
    claims: tuple = ()
    rebuildable: bool = True
    checksums: bool = False
    page_size: int = 8192
    fork: str = "main"
    after: Optional[Callable] = None
    notes: str = ""


def statements(sql):
    """Splits a script into its statements, each on one line, as fixture.json lists them."""
    parts = (" ".join(part.split()) for part in sql.split(";\n"))
    return [part.rstrip(";") for part in parts if part]
