"""All fixtures, in the order in which they are made."""

import interrupted
import lived_in
import options
import page_sizes
import sizes
import types_alone

FIXTURES = tuple(types_alone.FIXTURES + options.FIXTURES + sizes.FIXTURES + lived_in.FIXTURES + page_sizes.FIXTURES)
SCENARIOS = interrupted.SCENARIOS

NAMES = [fixture.name for fixture in FIXTURES] + [scenario.fixture.name for scenario in SCENARIOS]

assert len(set(NAMES)) == len(NAMES), "two fixtures of one name"
