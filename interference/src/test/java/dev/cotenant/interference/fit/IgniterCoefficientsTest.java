package dev.cotenant.interference.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ProfilingRuns;
import dev.cotenant.interference.fit.Line.Point;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IgniterCoefficientsTest {
  @Test
  void findsALineAndASlopeThroughTheOrigin() {
    // 0.005·n − 0.009 at n = 2, 3, 5.
    Line line =
        Line.through(List.of(new Point(2, 0.001), new Point(3, 0.006), new Point(5, 0.016)))
            .orElseThrow();
    assertThat(line.slope()).isCloseTo(0.005, within(1e-12));
    assertThat(line.intercept()).isCloseTo(-0.009, within(1e-12));
    // Σxy/Σx² = (10·−11 + 20·−19)/(100 + 400) = −0.98
    assertThat(Line.slopeThroughOrigin(List.of(new Point(10, -11), new Point(20, -19))))
        .hasValueSatisfying(slope -> assertThat(slope).isCloseTo(-0.98, within(1e-12)));
  }

  @Test
  void hasNoLineThroughOnePointOrNone() {
    assertThat(Line.through(List.of())).isEmpty();
    assertThat(Line.through(List.of(new Point(1, 1)))).isEmpty();
    assertThat(Line.through(List.of(new Point(1, 1), new Point(1, 2)))).isEmpty();
    assertThat(Line.slopeThroughOrigin(List.of(new Point(0, 1)))).isEmpty();
  }

  @Test
  void findsEveryCoefficientOfADeviceAndItsWorkloads() {
    WorkloadProfile.ActiveTime time = new WorkloadProfile.ActiveTime(0.01, 20, 5, 0.5, 1);
    List<ProfilingRuns.Run> alone = new ArrayList<>();
    for (int batch : new int[] {1, 16, 32}) {
      for (double share : new double[] {10, 50, 100}) {
        double active = time.millis(batch, share);
        double rate = 1000 * batch / active;
        alone.add(
            new ProfilingRuns.Run(
                batch,
                share,
                active + 0.25, // scheduling is part of what is measured
                50 + 0.05 * rate + 20, // idle, and the line
                1500,
                batch == 16 ? Double.valueOf(0.01 * rate + 2) : null));
      }
    }
    // One copy of 100 W and 50 more each: four demand 250, so 50 beyond 200: 50·α_f = −50.
    // Delays beside alone's 0.001: 0.004 and 0.009, a line of 0.005·n − 0.006.
    List<ProfilingRuns.Crowd> crowds =
        List.of(
            new ProfilingRuns.Crowd(1, 100, 1500, 0.001),
            new ProfilingRuns.Crowd(2, 150, 1500, 0.005),
            new ProfilingRuns.Crowd(3, 200, 1500, 0.010),
            new ProfilingRuns.Crowd(4, 200, 1450, 0.015));
    // Beside a copy that uses 20 % of L2, at 1450 of 1500 MHz: 12·(1450/1500)/10 − 1 = 0.16.
    ProfilingRuns.Workload workload =
        new ProfilingRuns.Workload(
            "w", 12, 600, 4, 0.25, alone, new ProfilingRuns.Beside(10, 12, 1450, 20));
    ProfilingRuns runs =
        new ProfilingRuns(
            "test",
            "d",
            new ProfilingRuns.Limits(50, 200, 1500, 1e7, 2.5),
            crowds,
            List.of(workload));
    ProfileBook book = IgniterCoefficients.of(runs);
    DeviceProfile device = book.requireDevice("d");
    assertThat(device.frequencySlope()).isCloseTo(-1, within(1e-9));
    assertThat(device.schedulingSlope()).isCloseTo(0.005, within(1e-9));
    assertThat(device.schedulingIntercept()).isCloseTo(-0.006, within(1e-9));
    WorkloadProfile found = book.workload("w").orElseThrow();
    assertThat(found.activeTime().millis(8, 40)).isCloseTo(time.millis(8, 40), within(1e-3));
    assertThat(found.demand().powerSlope()).isCloseTo(0.05, within(1e-4));
    assertThat(found.demand().l2Intercept()).isCloseTo(2, within(1e-2));
    assertThat(found.cacheSensitivity()).isCloseTo(0.008, within(1e-9));
  }

  @Test
  void saysWhatProfilingRunsLeaveOpen() {
    ProfilingRuns runs =
        new ProfilingRuns(
            "test", "d", new ProfilingRuns.Limits(50, 200, 1500, 1e7, 2.5), List.of(), List.of());
    assertThatThrownBy(() -> IgniterCoefficients.of(runs))
        .isInstanceOf(InputException.class)
        .hasMessage("No coefficients for 'd': too few points of power below its limit.");
  }
}
