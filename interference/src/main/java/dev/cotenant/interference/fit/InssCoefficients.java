package dev.cotenant.interference.fit;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ProfilingRuns;
import dev.cotenant.interference.fit.Line.Point;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.InssTimes;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;

/**
 * InSS's coefficients of a workload from profiling runs [InSS, section 4.1]: the points of its
 * regression and L2 as a line over the share, beside iGniter's, which it shares.
 */
public final class InssCoefficients {
  private InssCoefficients() {}

  /**
   * The workload's profile with both.
   *
   * @throws InputException ({@code too-few-profile-points}, {@code profile-fit-failed})
   */
  public static WorkloadProfile of(ProfilingRuns.Workload runs, DeviceProfile device) {
    List<Point> cache = new ArrayList<>();
    for (ProfilingRuns.Run run : runs.alone()) {
      Double l2 = run.l2Percent();
      if (l2 != null) {
        cache.add(new Point(run.sharePercent(), l2));
      }
    }
    Line line = IgniterCoefficients.require(Line.through(cache), runs.name(), "L2 over the share");
    return IgniterCoefficients.of(runs, device)
        .with(
            InssTimes.of(
                IgniterCoefficients.activeTimes(runs, device), line.slope(), line.intercept()));
  }
}
