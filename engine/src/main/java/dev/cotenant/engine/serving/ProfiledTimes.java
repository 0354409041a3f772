package dev.cotenant.engine.serving;

import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.interference.Interval;
import dev.cotenant.interference.PartitionModel;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.InssTimes;
import dev.cotenant.interference.profile.ProfiledPartition;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Times of a batch alone by a service's profile: iGniter's latency, with InSS's regression in place
 * of its active time where the points are known.
 *
 * @param step from upload to answer
 * @param busy active time alone, at the frequency of its own power draw
 * @param shares in partitions, in steps of the device's share unit
 * @param partition the service on the whole device
 */
record ProfiledTimes(
    StepTimeEstimate step, StepTimeEstimate busy, ShareCurve shares, ProfiledPartition partition) {
  /** A mean error says nothing of rarer cases. */
  private static final Coverage MAX = Coverage.of(0.99);

  /** Latency and busy time alone, milliseconds. */
  private record Alone(double latencyMillis, double busyMillis) {}

  /**
   * Empty where the profile gives no time at this batch on the whole device: it was not measured
   * there, or is not positive. Shares below the measured ones are left out.
   *
   * @param level in what share of cases bounds are to hold; they state at most {@link #MAX}
   */
  static Optional<ProfiledTimes> of(
      WorkloadProfile profile, DeviceProfile device, int batch, Coverage level) {
    GpuState state = new GpuState(device, 1);
    Optional<Alone> onWhole = alone(state, device, profile, batch, Share.WHOLE);
    if (onWhole.isEmpty()) {
      return Optional.empty();
    }
    Alone whole = onWhole.get();
    List<ShareCurve.Point> points = new ArrayList<>();
    ShareCurve.Point next = ShareCurve.Point.WHOLE;
    points.add(next);
    Share step = device.shareStep();
    for (int steps = (Share.WHOLE.permille() - 1) / step.permille(); steps >= 1; steps--) {
      Share share = step.times(steps);
      Optional<Alone> part = alone(state, device, profile, batch, share);
      if (part.isEmpty()) {
        break;
      }
      next =
          new ShareCurve.Point(
              share,
              Math.max(next.stepFactor(), part.get().latencyMillis() / whole.latencyMillis()),
              Math.max(next.busyFactor(), part.get().busyMillis() / whole.busyMillis()));
      points.addFirst(next);
    }
    CalibrationGroup group = group(profile);
    return Optional.of(
        new ProfiledTimes(
            estimate(whole.latencyMillis(), level.min(MAX), group),
            estimate(Math.min(whole.latencyMillis(), whole.busyMillis()), level.min(MAX), group),
            new ShareCurve(points),
            new ProfiledPartition(profile, device, batch, Share.WHOLE)));
  }

  private static CalibrationGroup group(WorkloadProfile profile) {
    InssTimes inss = profile.inss();
    return new CalibrationGroup(
        "service profile " + profile.name() + " on " + profile.device(),
        inss == null ? 1 : inss.activeTime().points().size());
  }

  /** Busy is the active time at the frequency that the power limit leaves. */
  private static Optional<Alone> alone(
      GpuState state, DeviceProfile device, WorkloadProfile profile, int batch, Share share) {
    if (!profile.range().covers(batch, share.percent())) {
      return Optional.empty();
    }
    double active = profile.activeMillis(batch, share.percent());
    state.clear();
    state.placeProfiled(profile, batch, share.percent());
    if (state.evaluate() != GpuState.Status.VALID) {
      return Optional.empty();
    }
    double stretch = device.maxFrequencyMegahertz() / state.frequencyMegahertz();
    return Optional.of(new Alone(state.latencyMillis(0), active * stretch));
  }

  private static StepTimeEstimate estimate(double millis, Coverage level, CalibrationGroup group) {
    Interval interval =
        Interval.logNormal(
            millis / Milliseconds.PER_SECOND, PartitionModel.IGNITER_DEVIATION, level);
    return new StepTimeEstimate(interval.mean(), interval.lower(), interval.upper(), level, group);
  }

  /** Copy with these times, and the utilization that follows at a stated rate. */
  Prediction on(Prediction prediction) {
    Prediction timed =
        prediction
            .withStepTime(step)
            .withBusyTime(busy)
            .withShares(shares)
            .withPartition(partition);
    return timed.settings().load() instanceof Load.RequestRate(double perSecond, _)
        ? timed.withUtilization(new Serving(timed.batchSize(), step, busy).at(perSecond))
        : timed;
  }
}
