-- What the cluster looked like, once a minute. A figure is a name and a number, so that further
-- figures need no migration.
CREATE TABLE IF NOT EXISTS cluster_history (
  at_minute BIGINT NOT NULL,
  figure VARCHAR(64) NOT NULL,
  amount DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (at_minute, figure)
);

-- Null is what was not measured. Rows with quarter_hour outlive the others.
CREATE TABLE IF NOT EXISTS gpu_history (
  gpu VARCHAR(256) NOT NULL,
  at_minute BIGINT NOT NULL,
  quarter_hour BOOLEAN NOT NULL,
  used_bytes BIGINT,
  forecast_upper_bytes BIGINT,
  granted_bytes BIGINT NOT NULL,
  utilization_percent DOUBLE PRECISION,
  predicted_percent DOUBLE PRECISION NOT NULL,
  tenants VARCHAR(16384) NOT NULL,
  PRIMARY KEY (gpu, at_minute)
);

CREATE INDEX IF NOT EXISTS gpu_history_by_time ON gpu_history (at_minute);

-- How often what was seen in a namespace on a day: decisions by their result, and bounds of
-- predictions that a measured run was compared with, and that held.
CREATE TABLE IF NOT EXISTS evidence (
  namespace VARCHAR(253) NOT NULL,
  kind VARCHAR(32) NOT NULL,
  at_day BIGINT NOT NULL,
  amount BIGINT NOT NULL,
  PRIMARY KEY (namespace, kind, at_day)
);
