package dev.cotenant.engine.risk;

import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Instant;
import java.util.List;

/**
 * A measured speed of a workload on one GPU.
 *
 * @param namespace of the workload
 * @param pod its name in the namespace
 * @param device product of the GPU
 * @param job what it runs
 * @param neighbours what ran beside it, at most {@link VictimColocation#MAX_AGGRESSORS}; none where
 *     it was alone
 * @param speed steps or samples per second, or the source's equivalent, positive; comparable among
 *     runs of one configuration
 * @param at time of the measurement
 * @param source where it comes from
 * @param work within which durations are comparable: the recurring owner; empty for other sources
 */
public record MeasuredSpeed(
    String namespace,
    String pod,
    String device,
    SharedJob job,
    List<SharedJob> neighbours,
    double speed,
    Instant at,
    SpeedSource source,
    String work) {
  public MeasuredSpeed {
    neighbours = List.copyOf(neighbours);
    if (!(speed > 0 && Double.isFinite(speed))) {
      throw new IllegalArgumentException("speed is " + speed + ", not positive");
    }
    if (neighbours.size() > VictimColocation.MAX_AGGRESSORS) {
      throw new IllegalArgumentException(
          neighbours.size() + " neighbours, at most " + VictimColocation.MAX_AGGRESSORS);
    }
  }

  /** Whether it had no neighbours. */
  public boolean isAlone() {
    return neighbours.isEmpty();
  }
}
