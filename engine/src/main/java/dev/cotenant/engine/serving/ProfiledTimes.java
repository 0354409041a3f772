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
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Times of a batch alone by a service's profile: iGniter's latency, with InSS's regression in place
 * of its active time where the points are known.
 *
 * @param step from upload to answer
 * @param busy active time alone
 * @param shares in partitions, in steps of 10 %
 */
record ProfiledTimes(StepTimeEstimate step, StepTimeEstimate busy, ShareCurve shares) {
  private static final Share STEP = Share.ofPercent(10);

  /** Empty where the profile gives no time at this batch on the whole device or any share. */
  static Optional<ProfiledTimes> of(WorkloadProfile profile, DeviceProfile device, int batch) {
    GpuState alone = new GpuState(device, 1);
    double whole = latencyMillis(alone, profile, batch, Share.WHOLE);
    double active = profile.activeMillis(batch, Share.WHOLE.percent());
    if (!(whole < Double.POSITIVE_INFINITY)) {
      return Optional.empty();
    }
    List<ShareCurve.Point> points = new ArrayList<>();
    ShareCurve.Point next = ShareCurve.Point.WHOLE;
    points.add(next);
    for (int tenths = STEP.perGpu() - 1; tenths >= 1; tenths--) {
      Share share = STEP.times(tenths);
      double millis = latencyMillis(alone, profile, batch, share);
      if (!(millis < Double.POSITIVE_INFINITY)) {
        break;
      }
      double busy = profile.activeMillis(batch, share.percent()) / active;
      next =
          new ShareCurve.Point(
              share,
              Math.max(next.stepFactor(), millis / whole),
              Math.max(next.busyFactor(), busy));
      points.addFirst(next);
    }
    CalibrationGroup group = group(profile);
    return Optional.of(
        new ProfiledTimes(
            estimate(whole, group),
            estimate(Math.min(whole, active), group),
            new ShareCurve(points)));
  }

  private static CalibrationGroup group(WorkloadProfile profile) {
    InssTimes inss = profile.inss();
    return new CalibrationGroup(
        "service profile " + profile.name() + " on " + profile.device(),
        inss == null ? 1 : inss.activeTime().points().size());
  }

  private static double latencyMillis(
      GpuState alone, WorkloadProfile profile, int batch, Share share) {
    alone.clear();
    alone.place(profile, batch, share.percent(), profile.activeMillis(batch, share.percent()));
    return alone.evaluate() == GpuState.Status.VALID
        ? alone.latencyMillis(0)
        : Double.POSITIVE_INFINITY;
  }

  private static StepTimeEstimate estimate(double millis, CalibrationGroup group) {
    Interval interval =
        Interval.logNormal(millis / Milliseconds.PER_SECOND, PartitionModel.IGNITER_DEVIATION);
    return new StepTimeEstimate(
        interval.mean(), interval.lower(), interval.upper(), Coverage.of(Interval.COVERAGE), group);
  }

  /** The same prediction with these times; the utilization at a stated rate follows from them. */
  Prediction on(Prediction prediction) {
    Prediction timed = prediction.withStepTime(step).withBusyTime(busy).withShares(shares);
    return timed.settings().load() instanceof Load.RequestRate(double perSecond)
        ? timed.withUtilization(new Serving(timed.batchSize(), step, busy).at(perSecond))
        : timed;
  }
}
