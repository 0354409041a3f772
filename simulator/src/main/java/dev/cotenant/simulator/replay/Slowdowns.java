package dev.cotenant.simulator.replay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Slowdowns of jobs over all products in one draw. */
final class Slowdowns {
  /** A longer run is harm. */
  static final double HARM_RATIO = 1.15;

  private final List<Double> ratios = new ArrayList<>();
  private long outOfMemory;
  private long slowed;

  void add(PolicyRun run) {
    outOfMemory += run.outOfMemory().cardinality();
    double[] slowdowns = run.slowdowns();
    for (int job = 0; job < slowdowns.length; job++) {
      if (slowdowns[job] > 0) {
        ratios.add(slowdowns[job]);
        slowed += slowdowns[job] > HARM_RATIO && !run.outOfMemory().get(job) ? 1 : 0;
      }
    }
    Collections.sort(ratios);
  }

  double outOfMemory() {
    return outOfMemory;
  }

  double slowed() {
    return slowed;
  }

  double mean() {
    return ratios.stream().mapToDouble(Double::doubleValue).average().orElse(1);
  }

  double percentile95() {
    return ratios.isEmpty() ? 1 : ratios.get((int) Math.ceil(0.95 * ratios.size()) - 1);
  }
}
