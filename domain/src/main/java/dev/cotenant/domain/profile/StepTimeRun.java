package dev.cotenant.domain.profile;

import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.workload.RunSettings;

/**
 * A measured wall time of a step.
 *
 * @param place file and line
 * @param network what ran
 * @param stack software that ran it, as far as known; times are compared within one
 * @param part where it ran
 * @param copies processes of the same network in the part, at least 1
 * @param work its amounts, batch included
 * @param seconds of a step per copy, above 0
 */
public record StepTimeRun(
    String place,
    Network network,
    String stack,
    DevicePart part,
    int copies,
    RunSettings settings,
    StepWork work,
    double seconds) {
  public StepTimeRun {
    if (!(seconds > 0 && seconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("seconds must be above 0, is " + seconds);
    }
    if (copies < 1) {
      throw new IllegalArgumentException("copies must be at least 1, is " + copies);
    }
  }

  /**
   * A network as a set names it.
   *
   * @param family group of related networks
   * @param inputs extent of an input: pixels of a side, or tokens
   */
  public record Network(String name, String family, int inputs) {}

  /** Seconds of a sample. */
  public double secondsPerSample() {
    return seconds / work.batch();
  }
}
