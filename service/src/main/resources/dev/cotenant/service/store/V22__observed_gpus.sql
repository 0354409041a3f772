-- Which replica observes the pod that has a GPU alone, so that its run counts once.
CREATE TABLE IF NOT EXISTS observed_gpu (
  gpu VARCHAR(256) PRIMARY KEY,
  observer VARCHAR(64) NOT NULL,
  until_at BIGINT NOT NULL
);
