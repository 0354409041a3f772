package dev.cotenant.lab.training;

import static dev.cotenant.lab.TestInputs.figure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.lab.Presets;
import dev.cotenant.lab.TestInputs;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.pairs.PairWorld;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** A short form of each preset. */
class PresetsTest {
  /** Cells that several tests look at. */
  private static final Map<String, List<Cell>> MADE = new ConcurrentHashMap<>();

  private final TestInputs inputs = new TestInputs();

  @Test
  void table4KeepsItsBars() {
    List<Cell> cells =
        new UtilPredTable4(inputs.pairs("lucid-pairs"), inputs.decider()).run(5, _ -> {});

    assertThat(cells).allMatch(Cell::meetsItsBar);
    assertThat(figure(cells, "exclusive", "utilization_percent_of_busy_gpus"))
        .isCloseTo(43.1, within(4.31));
    assertThat(figure(cells, "proactive", "utilization_over_slot")).isGreaterThan(1.45);
    assertThat(figure(cells, "proactive", "makespan_over_slot")).isLessThan(0.70);
    assertThat(figure(cells, "exclusive", "mean_run_seconds"))
        .isLessThan(figure(cells, "proactive", "mean_run_seconds"));
    assertThat(figure(cells, "reactive", "utilization_percent"))
        .isLessThan(figure(cells, "proactive", "utilization_percent"));
  }

  /** One draw; the bars are the forest's figures on the same rows. */
  @Test
  void table3PutsTheHybridModelBeforeTheForest() {
    List<Cell> cells = cells("utilpred-table3", 1);

    assertThat(cells).extracting(Cell::table).contains("Table 3, clean rows", "Table 3, all rows");
    assertThat(cells).extracting(Cell::policy).contains("linear", "forest", "hybrid");
    assertThat(cells)
        .filteredOn(cell -> cell.policy().equals("forest") && cell.metric().equals("rmsle"))
        .extracting(Cell::published)
        .containsOnly(0.154);
    assertThat(cells).filteredOn(cell -> cell.bar() != null).allMatch(Cell::meetsItsBar);
  }

  @Test
  void slowdownGrowsWithSummedUtilization() {
    List<Cell> cells = cells("utilpred-figure5a", 1);

    assertThat(cells).allMatch(Cell::meetsItsBar);
    assertThat(cells)
        .extracting(Cell::table)
        .contains(
            "Figure 5a, lucid-pairs on rtx-3090",
            "Figure 5a, gavel-pairs on p100-16gb",
            "Figure 5a, gavel-pairs on v100-16gb");
    List<Cell> lucid = cells.stream().filter(cell -> cell.table().contains("lucid-pairs")).toList();
    double before = Double.NEGATIVE_INFINITY;
    for (String bin : List.of("0_to_50", "50_to_80", "80_to_100", "100_to_130", "130_to_160")) {
      double mean = figure(lucid, "measured", "mean_slowdown_percent_from_" + bin);
      assertThat(mean).as(bin).isGreaterThan(before);
      before = mean;
    }
  }

  /** A tenth of the jobs; the order of the study's rows. */
  @Test
  void durationsKeepTheOrderOfTheStudy() {
    List<Cell> cells =
        new LucidDurations(inputs.pairs("lucid-pairs"), List.of(), inputs.decider(), 500)
            .run(2, _ -> {});

    List<String> dense = List.of("gpushare", "utilization", "profile-each", "exclusive");
    for (int i = 1; i < dense.size(); i++) {
      assertThat(figure(cells, dense.get(i - 1), "gpu_hours_of_exclusive"))
          .as(dense.get(i - 1))
          .isLessThan(figure(cells, dense.get(i), "gpu_hours_of_exclusive"));
    }
    assertThat(figure(cells, "oracle", "harmed_pod_hours_percent")).isZero();
    assertThat(figure(cells, "utilization", "harmed_pod_hours_percent"))
        .isLessThan(0.7 * figure(cells, "gpushare", "harmed_pod_hours_percent"));
  }

  /** It needs few more GPU hours than what a utilization sum needs, and harms little. */
  @Test
  void learningFromPairsEndsMostHarm() {
    List<Cell> cells = durationsOfAThousandJobs();

    for (String table : List.of("durations", "durations, 35 % one-offs")) {
      List<Cell> part = cells.stream().filter(cell -> cell.table().equals(table)).toList();
      assertThat(figure(part, "profile-learn-guard", "harmed_pod_hours_percent"))
          .as(table)
          .isLessThan(0.3 * figure(part, "profile-once", "harmed_pod_hours_percent"));
      assertThat(figure(part, "profile-learn-guard", "gpu_hours_of_exclusive"))
          .as(table)
          .isLessThan(1.1 * figure(part, "profile-once", "gpu_hours_of_exclusive"));
      assertThat(figure(part, "profile-learn-guard-stay", "moves_per_100_jobs"))
          .as(table)
          .isLessThan(figure(part, "profile-once", "moves_per_100_jobs") + 12);
    }
  }

  /** Its curves are flat where gpushare's become those of exclusive GPUs. */
  @Test
  void resAwareDependsLittleOnOverProvisioning() {
    List<Cell> all = resAwareFigures();
    assertThat(all).allMatch(Cell::meetsItsBar);
    List<Cell> cells = all.stream().filter(cell -> cell.table().equals("homogeneous")).toList();

    double exclusive = figure(cells, "exclusive", "pending_seconds_at_250_percent");
    assertThat(figure(cells, "gpushare", "pending_seconds_at_250_percent")).isEqualTo(exclusive);
    assertThat(figure(cells, "gpushare", "pending_seconds_at_0_percent")).isLessThan(exclusive / 4);
    assertThat(figure(cells, "resaware", "pending_seconds_at_250_percent"))
        .isLessThan(exclusive / 4);
    for (String policy : List.of("exclusive", "gpushare")) {
      assertThat(figure(cells, policy, "p99_seconds_over_resaware")).isGreaterThan(1.5);
      assertThat(figure(cells, policy, "energy_kilojoules_over_resaware")).isGreaterThan(1.2);
      assertThat(figure(cells, policy, "memory_gib_over_resaware")).isLessThan(0.8);
    }
    for (String metric : List.of("p99_seconds", "memory_gib", "power_watts", "energy_kilojoules")) {
      assertThat(figure(cells, "resaware", metric + "_at_250_over_0_percent"))
          .as(metric)
          .isBetween(0.85, 1.2);
    }
    assertThat(figure(cells, "gpushare", "energy_kilojoules_at_250_over_0_percent"))
        .isGreaterThan(2);
    String own = "memory-over-time, measured before";
    assertThat(figure(cells, own, "p99_seconds_over_resaware")).isLessThan(1);
    assertThat(figure(cells, own, "restarts")).isZero();
  }

  /** Engines that load at the same time are those that run out of memory. */
  @Test
  void theCorrelationTestSavesRestartsAndCostsWaiting() {
    List<Cell> cells =
        resAwareFigures().stream().filter(cell -> cell.table().equals("homogeneous")).toList();

    assertThat(figure(cells, "resaware-correlation", "restarts"))
        .isLessThan(0.75 * figure(cells, "resaware", "restarts"));
    assertThat(figure(cells, "resaware-correlation", "pending_seconds_over_resaware"))
        .isGreaterThan(1.2);
  }

  private List<Cell> durationsOfAThousandJobs() {
    return MADE.computeIfAbsent(
        LucidDurations.CARD.name(),
        _ ->
            new LucidDurations(
                    inputs.pairs("lucid-pairs"),
                    inputs.measuredPairs("gavel-pairs").stream().map(PairWorld::new).toList(),
                    inputs.decider(),
                    1_000)
                .run(1, _ -> {}));
  }

  private List<Cell> resAwareFigures() {
    return MADE.computeIfAbsent("resaware-figures", name -> cells(name, 2));
  }

  private List<Cell> cells(String preset, int seeds) {
    return Presets.named(preset).maker().of(inputs).run(seeds, _ -> {});
  }

  @Test
  void plansOfIgniterNeedThePublishedGpus() {
    List<Cell> cells = cells("igniter-plans", 1);

    assertThat(cells).allMatch(Cell::meetsItsBar);
    assertThat(cells)
        .filteredOn(cell -> cell.table().equals("Figure 14") && cell.metric().equals("gpus"))
        .filteredOn(cell -> cell.published() != null)
        .hasSize(4)
        .allSatisfy(cell -> assertThat(cell.ours().mean()).isEqualTo(cell.published()));
    assertThat(cells)
        .filteredOn(cell -> cell.table().equals("Figure 18") && cell.policy().equals("igniter"))
        .hasSize(12)
        .allSatisfy(cell -> assertThat(cell.ours().mean()).isEqualTo(cell.published()));
  }

  @Test
  void theShadowProcessTakesOverAfterASecondAndAHalf() {
    List<Cell> cells = cells("igniter-over-time", 1);

    assertThat(cells)
        .filteredOn(cell -> cell.table().startsWith("Figure"))
        .isNotEmpty()
        .allMatch(Cell::meetsItsBar);
    List<Cell> error30 =
        cells.stream().filter(cell -> cell.table().equals("Figure 17, error 30.00 %")).toList();
    assertThat(figure(error30, "igniter", "seconds_until_takeover")).isEqualTo(1.5);
    assertThat(figure(error30, "igniter", "p99_ms_at_1.5_s")).isGreaterThan(10);
    assertThat(figure(error30, "igniter without shadow", "p99_ms_at_10.0_s"))
        .isGreaterThan(20 * figure(error30, "igniter", "p99_ms_at_10.0_s"));
    assertThat(figure(cells, "gslice+", "seconds_in_violation_of_W10")).isGreaterThan(10);
  }

  @Test
  void planningWorkGrowsLessThanThePublishedLoop() {
    List<Cell> cells = cells("igniter-planning-cost", 1);

    assertThat(figure(cells, "igniter", "evaluations_at_1000_workloads"))
        .isLessThan(
            0.05 * figure(cells, "igniter", "evaluations_of_the_published_loop_at_1000_workloads"));
  }

  /**
   * The settings of the policy that learns were not chosen on Gavel's pairs. Its harm is that of
   * trials at the start, which weigh more in fewer jobs.
   */
  @Test
  void learningHarmsLittleOnPairsOnWhichNoSettingWasChosen() {
    List<Cell> cells = durationsOfAThousandJobs();

    for (String table : List.of("gavel-pairs on p100-16gb", "gavel-pairs on v100-16gb")) {
      List<Cell> part =
          cells.stream()
              .filter(cell -> cell.table().equals("settings unchanged, " + table))
              .toList();
      assertThat(figure(part, "profile-learn-guard", "harmed_pod_hours_percent"))
          .as(table)
          .isLessThan(0.5);
      assertThat(figure(part, "gpushare", "harmed_pod_hours_percent")).as(table).isGreaterThan(50);
    }
  }

  @Test
  void marginsAreDifferencesOfRunsOfOneSeed() {
    Sheet<Double> sheet = new Sheet<>("table");
    List.of(10.0, 20.0).forEach(run -> sheet.add("ours", run));
    List.of(8.0, 16.0).forEach(run -> sheet.add("theirs", run));
    Sheet.Versus versus = new Sheet.Versus("ours", "theirs");

    sheet.margin("points", versus, Sheet.difference(run -> run), Sheet.Published.none(""));
    sheet.margin("percent", versus, Sheet.percent(run -> run), Sheet.Published.none(""));

    assertThat(sheet.cells())
        .allMatch(cell -> cell.table().equals("table, margins"))
        .allMatch(cell -> cell.policy().equals("ours − theirs"));
    assertThat(sheet.cells().getFirst().ours().mean()).isEqualTo(3);
    assertThat(sheet.cells().getFirst().ours().halfWidth()).isCloseTo(12.706, within(1e-3));
    assertThat(sheet.cells().getLast().ours().mean()).isCloseTo(25, within(1e-9));
    assertThat(sheet.cells().getLast().ours().halfWidth()).isCloseTo(0, within(1e-9));
  }

  @Test
  void intervalsAreThoseOfTheMeanByStudentsT() {
    Cell.Sample sample = Cell.Sample.of(List.of(1.0, 2.0, 3.0));

    assertThat(sample.mean()).isEqualTo(2);
    assertThat(sample.halfWidth()).isCloseTo(4.302653 / Math.sqrt(3), within(1e-6));
    assertThat(Cell.Sample.of(List.of(5.0)).halfWidth()).isZero();
  }
}
