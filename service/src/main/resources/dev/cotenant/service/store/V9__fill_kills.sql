-- Pods that ran out of the memory that was filled into their requests; a workload is a hash.
CREATE TABLE IF NOT EXISTS fill_kill (
  pod_uid VARCHAR(64) NOT NULL PRIMARY KEY,
  namespace VARCHAR(63) NOT NULL,
  workload VARCHAR(64) NOT NULL,
  bytes BIGINT NOT NULL,
  seen_at TIMESTAMP(6) WITH TIME ZONE NOT NULL
);

CREATE INDEX IF NOT EXISTS fill_kill_seen ON fill_kill (seen_at);
