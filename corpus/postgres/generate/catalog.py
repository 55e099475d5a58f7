"""All fixtures, in the order in which they are made."""

import lived_in
import options
import sizes
import types_alone

FIXTURES = tuple(types_alone.FIXTURES + options.FIXTURES + sizes.FIXTURES + lived_in.FIXTURES)

assert len({fixture.name for fixture in FIXTURES}) == len(FIXTURES), "two fixtures of one name"
