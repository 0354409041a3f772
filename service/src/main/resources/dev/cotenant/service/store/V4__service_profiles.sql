-- One line of a profile file each; an empty namespace means all.
CREATE TABLE IF NOT EXISTS service_profile (
  namespace VARCHAR(63) NOT NULL,
  kind VARCHAR(20) NOT NULL,
  name VARCHAR(200) NOT NULL,
  device VARCHAR(100) NOT NULL,
  line TEXT NOT NULL,
  stored_by VARCHAR(200) NOT NULL,
  stored_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  PRIMARY KEY (namespace, kind, name, device)
);

-- One row, counted up first in every transaction that changes profiles, so that these follow each other.
CREATE TABLE IF NOT EXISTS service_profile_state (
  only_row INTEGER PRIMARY KEY,
  changes BIGINT NOT NULL
);

INSERT INTO service_profile_state (only_row, changes) VALUES (1, 0) ON CONFLICT DO NOTHING;
