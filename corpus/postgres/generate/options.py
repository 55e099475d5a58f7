"""What CREATE INDEX can be told: order, several columns, INCLUDE, unique, fillfactor, deduplication."""

FIXTURES = []
