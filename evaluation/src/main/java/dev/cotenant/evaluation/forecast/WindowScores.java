package dev.cotenant.evaluation.forecast;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.evaluation.Scores;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What one forecaster reached on the windows of some devices; sizes in MiB. */
final class WindowScores {
  /** A peak this many times the bound is a violation that hurts. */
  private static final double HURTS = 1.05;

  private final Scores next = new Scores();
  private final Scores bounds = new Scores();
  private final Scores boundsAfterRestarts = new Scores();
  private final List<Double> deviceCoverages = new ArrayList<>();
  private Scores boundsOfDevice = new Scores();
  private int windows;

  /**
   * What came after an instant.
   *
   * @param next used bytes one sample later
   * @param peak the most over the horizon, in bytes
   * @param restarted whether the device was idle in the last steps
   */
  record Truth(double next, double peak, boolean restarted) {}

  /**
   * What a forecaster said.
   *
   * @param next used bytes one sample later; a raw formula may say any number
   * @param upper bound on the peak, in bytes
   */
  record Answer(double next, double upper) {}

  void add(Optional<Answer> answer, Truth truth) {
    windows++;
    answer.ifPresent(said -> add(said, truth));
  }

  private void add(Answer said, Truth truth) {
    next.add(truth.next / MemorySize.MIB, said.next / MemorySize.MIB);
    boundsOfDevice.add(truth.peak / MemorySize.MIB, said.upper / MemorySize.MIB);
    if (truth.restarted) {
      boundsAfterRestarts.add(truth.peak / MemorySize.MIB, said.upper / MemorySize.MIB);
    }
  }

  void endDevice() {
    if (!boundsOfDevice.isEmpty()) {
      deviceCoverages.add(boundsOfDevice.mean(Scores::held));
    }
    bounds.addAll(boundsOfDevice);
    boundsOfDevice = new Scores();
  }

  /** Takes in another score, of other devices. */
  WindowScores plus(WindowScores other) {
    next.addAll(other.next);
    bounds.addAll(other.bounds);
    boundsAfterRestarts.addAll(other.boundsAfterRestarts);
    deviceCoverages.addAll(other.deviceCoverages);
    windows += other.windows;
    return this;
  }

  int windows() {
    return windows;
  }

  int restarts() {
    return boundsAfterRestarts.size();
  }

  double answeredShare() {
    return (double) bounds.size() / windows;
  }

  double meanAbsoluteErrorMiB() {
    return next.mean(Scores::absolute);
  }

  double coverage() {
    return bounds.mean(Scores::held);
  }

  double headroomMiB() {
    return bounds.mean((peak, bound) -> bound - peak);
  }

  double hurtShare() {
    return bounds.mean((peak, bound) -> peak > HURTS * bound ? 1 : 0);
  }

  double restartCoverage() {
    return boundsAfterRestarts.mean(Scores::held);
  }

  double worstDeviceCoverage() {
    return deviceCoverages.stream().mapToDouble(c -> c).min().orElse(Double.NaN);
  }
}
