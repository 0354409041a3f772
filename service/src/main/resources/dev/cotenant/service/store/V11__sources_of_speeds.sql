-- Where a speed comes from, and within which work durations are comparable. Rows of earlier versions are progress.
ALTER TABLE measured_speed ADD COLUMN IF NOT EXISTS source VARCHAR(20) DEFAULT 'PROGRESS' NOT NULL;
ALTER TABLE measured_speed ADD COLUMN IF NOT EXISTS work VARCHAR(300) DEFAULT '' NOT NULL;
