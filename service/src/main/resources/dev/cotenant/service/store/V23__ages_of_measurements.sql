-- Measurements are deleted by age, which is looked for once a minute.
CREATE INDEX IF NOT EXISTS profile_by_age ON profile (received_at);
CREATE INDEX IF NOT EXISTS measured_speed_by_age ON measured_speed (measured_at);
CREATE INDEX IF NOT EXISTS measured_start_by_age ON measured_start (received_at);
CREATE INDEX IF NOT EXISTS stay_by_age ON stay (ended_at);
