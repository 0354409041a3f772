-- Fleets that are watched: the document, what the loop remembers, and its last decision, as JSON.
CREATE TABLE IF NOT EXISTS fleet (
  name VARCHAR(63) NOT NULL PRIMARY KEY,
  document TEXT NOT NULL,
  state TEXT NOT NULL,
  shown TEXT NOT NULL,
  revision BIGINT NOT NULL,
  stored_by VARCHAR(512) NOT NULL,
  stored_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  decided_at TIMESTAMP(6) WITH TIME ZONE NOT NULL
);

-- One row, counted up first in every transaction that changes fleets, so that these follow each other.
CREATE TABLE IF NOT EXISTS fleet_state (
  only_row INTEGER PRIMARY KEY,
  changes BIGINT NOT NULL
);

INSERT INTO fleet_state (only_row, changes) VALUES (1, 0) ON CONFLICT DO NOTHING;
