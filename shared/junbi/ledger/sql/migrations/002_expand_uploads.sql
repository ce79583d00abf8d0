-- When somebody said that everything of an upload is there.
ALTER TABLE arrival ADD COLUMN called_at TEXT;
