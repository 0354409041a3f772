package dev.cotenant.service.evidence;

import java.time.Instant;
import java.util.List;

/**
 * Measured runs with their predictions, of all replicas. All methods throw {@link
 * dev.cotenant.engine.lifecycle.StoreException} where the database cannot be used.
 */
public interface DriftStore {
  /** Newest runs of a device that count. */
  int MAX_RUNS = 200;

  /**
   * A measured run.
   *
   * @param logRatio logarithm of measured over predicted utilization
   * @param isAboveUpper whether it passed its upper bound
   */
  record Run(String device, Instant at, double logRatio, boolean isAboveUpper) {}

  /** Adds a run, and deletes those of its device beyond the newest. */
  void add(Run run);

  /** The newest runs of every device, in order of time. */
  List<Run> newest();
}
