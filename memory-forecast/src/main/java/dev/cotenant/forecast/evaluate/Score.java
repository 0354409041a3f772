package dev.cotenant.forecast.evaluate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What one forecaster reached on the windows of some devices; sizes in MiB. */
final class Score {
  private static final double MIB = 1 << 20;

  /** A peak this many times the bound is called a violation that hurts. */
  private static final double HURTS = 1.05;

  private int asked;
  private int answered;
  private double absoluteErrors;
  private int covered;
  private double headroom;
  private int hurt;
  private int restarts;
  private int restartsCovered;
  private int deviceAnswered;
  private int deviceCovered;
  private final List<Double> deviceCoverages = new ArrayList<>();

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
    asked++;
    answer.ifPresent(said -> add(said, truth));
  }

  private void add(Answer said, Truth truth) {
    double upper = said.upper;
    boolean holds = truth.peak <= upper;
    answered++;
    absoluteErrors += Math.abs(said.next - truth.next) / MIB;
    covered += holds ? 1 : 0;
    headroom += (upper - truth.peak) / MIB;
    hurt += truth.peak > HURTS * upper ? 1 : 0;
    restarts += truth.restarted ? 1 : 0;
    restartsCovered += truth.restarted && holds ? 1 : 0;
    deviceAnswered++;
    deviceCovered += holds ? 1 : 0;
  }

  void endDevice() {
    if (deviceAnswered > 0) {
      deviceCoverages.add((double) deviceCovered / deviceAnswered);
    }
    deviceAnswered = 0;
    deviceCovered = 0;
  }

  /** Takes in another score, of other devices. */
  Score plus(Score other) {
    asked += other.asked;
    answered += other.answered;
    absoluteErrors += other.absoluteErrors;
    covered += other.covered;
    headroom += other.headroom;
    hurt += other.hurt;
    restarts += other.restarts;
    restartsCovered += other.restartsCovered;
    deviceCoverages.addAll(other.deviceCoverages);
    return this;
  }

  int asked() {
    return asked;
  }

  int restarts() {
    return restarts;
  }

  double answeredShare() {
    return (double) answered / asked;
  }

  double meanAbsoluteErrorMiB() {
    return absoluteErrors / answered;
  }

  double coverage() {
    return (double) covered / answered;
  }

  double headroomMiB() {
    return headroom / answered;
  }

  double hurtShare() {
    return (double) hurt / answered;
  }

  double restartCoverage() {
    return (double) restartsCovered / restarts;
  }

  double worstDeviceCoverage() {
    return deviceCoverages.stream().mapToDouble(c -> c).min().orElse(Double.NaN);
  }
}
