-- Whose predictions alone a row moves; an empty namespace means all. Rows of earlier versions count for all.
ALTER TABLE profile ADD COLUMN IF NOT EXISTS namespace VARCHAR(63) DEFAULT '' NOT NULL;

CREATE INDEX IF NOT EXISTS profile_of_namespace ON profile (namespace, profile_number);
