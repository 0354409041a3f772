package dev.cotenant.interference.fit;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ProfilingRuns;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.fit.Line.Point;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.interference.profile.WorkloadProfile.Demand;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.interference.solo.SoloPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * All coefficients of iGniter's model from profiling runs [iGniter, section 3.1, Obtaining Model
 * Coefficients]: of the device from several copies of one workload, of each workload from its grid
 * of batches and shares and one run beside a copy of itself.
 */
public final class IgniterCoefficients {
  /*
   * The power limit hides what is demanded beyond it, so the demand of many copies is that of the
   * line through those that stayed below, and the demand of a workload that was slowed down is read
   * off the frequency: P + (f − F)/α_f. Times are those at full frequency, t·f/F. The paper does not
   * say how its authors treated either; their coefficients of a V100 differ by a few percent.
   */
  private IgniterCoefficients() {}

  /**
   * The device's profile and those of its workloads.
   *
   * @throws InputException ({@code too-few-profile-points}) naming what they do not determine
   */
  public static ProfileBook of(ProfilingRuns runs) {
    DeviceProfile device = device(runs);
    List<WorkloadProfile> workloads = new ArrayList<>();
    for (ProfilingRuns.Workload workload : runs.workloads()) {
      workloads.add(of(workload, device));
    }
    return new ProfileBook(List.of(device), workloads, List.of());
  }

  private static DeviceProfile device(ProfilingRuns runs) {
    ProfilingRuns.Limits limits = runs.limits();
    double most = limits.mostMegahertz();
    List<ProfilingRuns.Crowd> crowds = runs.crowds();
    double alone = crowds.isEmpty() ? 0 : crowds.getFirst().kernelDelayMillis();
    List<Point> delays =
        crowds.stream()
            .filter(crowd -> crowd.copies() > 1)
            .map(crowd -> new Point(crowd.copies(), crowd.kernelDelayMillis() - alone))
            .toList();
    List<Point> unlimited =
        crowds.stream()
            .filter(crowd -> crowd.megahertz() >= most)
            .map(crowd -> new Point(crowd.copies(), crowd.watts()))
            .toList();
    Line demand = require(Line.through(unlimited), runs.device(), "power below its limit");
    List<Point> limited =
        crowds.stream()
            .filter(crowd -> crowd.megahertz() < most)
            .map(crowd ->
                new Point(
                    demand.slope() * crowd.copies() + demand.intercept() - limits.mostWatts(),
                    crowd.megahertz() - most))
            .toList();
    Line delay = require(Line.through(delays), runs.device(), "scheduling delays");
    double slope =
        require(Line.slopeThroughOrigin(limited), runs.device(), "frequency beyond the limit");
    return new DeviceProfile(
        runs.device(),
        limits.mostWatts(),
        most,
        limits.idleWatts(),
        limits.pcieBytesPerMillisecond(),
        slope,
        delay.slope(),
        delay.intercept(),
        limits.shareUnitPercent());
  }

  /** Runs alone as active times at full frequency. */
  static List<SoloPoint> activeTimes(ProfilingRuns.Workload runs, DeviceProfile device) {
    return runs.alone().stream()
        .map(run ->
            new SoloPoint(
                run.batch(),
                run.sharePercent(),
                run.gpuMillis() * run.megahertz() / device.maxFrequencyMegahertz()
                    - runs.schedulingMillis()))
        .toList();
  }

  /**
   * The profile of one workload on a device whose coefficients are known.
   *
   * @throws InputException ({@code too-few-profile-points}) naming what they do not determine
   */
  public static WorkloadProfile of(ProfilingRuns.Workload runs, DeviceProfile device) {
    String name = runs.name();
    List<SoloPoint> points = activeTimes(runs, device);
    ActiveTime time =
        switch (IgniterCurveFit.fit(points)) {
          case Fitted<ActiveTime>(ActiveTime fitted) -> fitted;
          case NotFitted<ActiveTime>(String reason) -> throw tooFew(name, reason);
        };
    List<Point> power = new ArrayList<>();
    List<Point> cache = new ArrayList<>();
    for (ProfilingRuns.Run run : runs.alone()) {
      double rate =
          Milliseconds.PER_SECOND * run.batch() / time.millis(run.batch(), run.sharePercent());
      power.add(new Point(rate, demandWatts(run, device) - device.idlePowerWatts()));
      Double l2 = run.l2Percent();
      if (l2 != null) {
        cache.add(new Point(rate, l2));
      }
    }
    Line powerLine = require(Line.through(power), name, "power over throughput");
    Line cacheLine = require(Line.through(cache), name, "L2 over throughput");
    return new WorkloadProfile(
        name,
        device.device(),
        time,
        require(sensitivity(runs.beside(), device), name, "a neighbour's L2"),
        new Demand(
            powerLine.slope(), powerLine.intercept(), cacheLine.slope(), cacheLine.intercept()),
        runs.kernels(),
        runs.schedulingMillis(),
        runs.inputBytes(),
        runs.outputBytes());
  }

  private static double demandWatts(ProfilingRuns.Run run, DeviceProfile device) {
    double missing = run.megahertz() - device.maxFrequencyMegahertz();
    return missing < 0 ? device.maxPowerWatts() + missing / device.frequencySlope() : run.watts();
  }

  private static Optional<Double> sensitivity(ProfilingRuns.Beside beside, DeviceProfile device) {
    double growth = beside.growth() * beside.megahertz() / device.maxFrequencyMegahertz() - 1;
    return Line.slopeThroughOrigin(List.of(new Point(beside.copyL2Percent(), growth)))
        .map(found -> Math.max(0, found));
  }

  static <T> T require(Optional<T> found, String whose, String what) {
    return found.orElseThrow(() -> tooFew(whose, "too few points of " + what));
  }

  private static InputException tooFew(String whose, String why) {
    return InputException.invalidArgument(
        "too-few-profile-points", "No coefficients for '" + whose + "': " + why + ".");
  }
}
