package dev.cotenant.lab.plans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.RandomFleets;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.igniter.IgniterPlanner;
import dev.cotenant.placement.search.Best;
import dev.cotenant.placement.search.OracleSets;
import dev.cotenant.placement.search.Settings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FleetTablesTest {
  private static final FleetTables TABLES = new FleetTables(() -> 0);
  private static final ServicePlanner BEST =
      new Best(new Settings(Duration.ofHours(1), 1, 0), List.of(), () -> 0);

  /** iGniter needs 174 GPUs for the sets of 12 workloads and more; 163 are 6 % fewer. */
  @Test
  void bestNeedsSixPercentFewerGpusThanIgniter() throws IOException {
    List<Fleet> sets = OracleSets.from(12);

    List<FleetTables.Row> rows = TABLES.constant(sets, List.of(IgniterPlanner.IGNITER, BEST));

    assertThat(rows)
        .allSatisfy(row -> {
          assertThat(row.faults()).isZero();
          assertThat(row.violations() + row.unplaced()).isZero();
        });
    List<FleetTables.Total> totals = FleetTables.totals(rows);
    assertThat(totals.get(0).gpus()).isEqualTo(174);
    assertThat(totals.get(1).gpus()).isLessThanOrEqualTo(163);
    assertThat(totals.get(1).lowerBoundGpus()).isBetween(150, totals.get(1).gpus());
  }

  @Test
  void igniterNeedsAMarginWhereRequestsComeAsTheyLike() {
    List<Fleet> sets = List.of(RandomFleets.twelve(Arrivals.CONSTANT));

    List<FleetTables.QueueRow> rows =
        TABLES.poisson(sets, List.of(BEST), List.of(IgniterPlanner.IGNITER), 5);

    assertThat(rows)
        .extracting(FleetTables.QueueRow::strategy)
        .containsExactly("best", "igniter", "igniter+margin");
    assertThat(rows.get(0).met()).isEqualTo(12);
    assertThat(rows.get(1).gpus()).isEqualTo(6);
    assertThat(rows.get(1).met()).isLessThan(4);
    assertThat(rows.get(2).met()).isEqualTo(12);
    assertThat(rows.get(2).gpus()).isGreaterThanOrEqualTo(rows.get(0).gpus());
    assertThat(FleetTables.queueTotals(rows).get(1).violations()).isEqualTo(12 - rows.get(1).met());
  }
}
