package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransferFitTest {
  private static final DeviceCatalogue DEVICES = DeviceCatalogue.builtIn();

  /** The same networks on each device; utilization as a formula with coefficients of its host. */
  private static List<ProfileRow> runs(String device, UtilizationPrior host) {
    List<ProfileRow> rows = new ArrayList<>();
    for (ProfileRow row : SyntheticRuns.result(60, device, 1).rows()) {
      Run run = MeasuredRuns.run(row, DEVICES).eager();
      double percent = Math.expm1(host.log(run));
      rows.add(
          new ProfileRow(
              row.source(),
              row.family(),
              row.topology(),
              row.features(),
              row.settings(),
              row.device(),
              Measurement.NONE.withUtilization(Utilization.ofPercent(percent)),
              row.licence(),
              row.quality()));
    }
    return rows;
  }

  private static UtilizationPrior host(double stepMillis) {
    return new UtilizationPrior(1, 4, 10, stepMillis, 0.5, 0.3, 1.5);
  }

  private static DeviceTransfer fit(List<ProfileRow> rows) {
    MeasuredRuns runs = MeasuredRuns.of(Target.UTILIZATION, rows, DEVICES);
    return TransferFit.fit(runs.sample(), runs.rows());
  }

  @Test
  void learnsWhatHostsHaveInCommon() {
    List<ProfileRow> rows = new ArrayList<>(runs("t4", host(0.5)));
    rows.addAll(runs("v100-16gb", host(0.5)));
    DeviceTransfer transfer = fit(rows);
    for (ProfileRow row : runs("a100-40gb", host(0.5))) {
      assertThat(transfer.log(MeasuredRuns.run(row, DEVICES)))
          .isCloseTo(Target.UTILIZATION.plainLogOf(row), within(0.05));
    }
  }

  @Test
  void isMovedLessByOneSlowHostThanByTwo() {
    List<ProfileRow> one = new ArrayList<>(runs("t4", host(0.5)));
    one.addAll(runs("v100-16gb", host(20)));
    List<ProfileRow> two = new ArrayList<>(runs("t4", host(20)));
    two.addAll(runs("v100-16gb", host(20)));
    double moved = fit(one).formula().stepMillis();
    assertThat(moved).isGreaterThan(0.5);
    assertThat(moved).isLessThan(fit(two).formula().stepMillis());
  }

  @Test
  void appliesToDevicesWithoutMeasuredRuns() {
    DeviceTransfer transfer = fit(runs("t4", host(0.5)));
    assertThat(transfer.measured()).containsExactly(new DeviceId("t4"));
    assertThat(transfer.applies(MeasuredRuns.run(runs("t4", host(1)).getFirst(), DEVICES)))
        .isFalse();
    assertThat(transfer.applies(MeasuredRuns.run(runs("l4", host(1)).getFirst(), DEVICES)))
        .isTrue();
  }
}
