-- Where a create was sent, and where a registration was made: another apply may name another region or workspace.
-- Empty where an earlier version wrote the row: it is filled in before the region or workspace changes.
ALTER TABLE try ADD COLUMN region TEXT NOT NULL DEFAULT '';
ALTER TABLE try ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
ALTER TABLE registration ADD COLUMN region TEXT NOT NULL DEFAULT '';
ALTER TABLE registration ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
