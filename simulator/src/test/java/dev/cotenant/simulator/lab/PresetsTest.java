package dev.cotenant.simulator.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A short form of each preset. */
class PresetsTest {
  private final TestInputs inputs = new TestInputs();

  private static double figure(List<Cell> cells, String policy, String metric) {
    return cells.stream()
        .filter(cell -> cell.policy().equals(policy) && cell.metric().equals(metric))
        .findFirst()
        .orElseThrow()
        .ours()
        .mean();
  }

  @Test
  void table4KeepsItsBars() {
    List<Cell> cells =
        new UtilPredTable4(inputs.pairs("lucid-pairs"), inputs.decider()).run(5, _ -> {});

    assertThat(cells).allMatch(Cell::meetsItsBar);
    assertThat(figure(cells, "proactive", "utilization_over_slot")).isGreaterThan(1.45);
    assertThat(figure(cells, "proactive", "makespan_over_slot")).isLessThan(0.70);
    assertThat(figure(cells, "exclusive", "mean_run_seconds"))
        .isLessThan(figure(cells, "proactive", "mean_run_seconds"));
    assertThat(figure(cells, "reactive", "utilization_percent"))
        .isLessThan(figure(cells, "proactive", "utilization_percent"));
  }

  /** A tenth of the jobs; the order of the study's rows. */
  @Test
  void durationsKeepTheOrderOfTheStudy() {
    List<Cell> cells =
        new LucidDurations(inputs.pairs("lucid-pairs"), inputs.decider(), 500).run(2, _ -> {});

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

  /** Its curves are flat where gpushare's become those of exclusive GPUs. */
  @Test
  void resAwareDependsLittleOnOverProvisioning() {
    Preset preset = Presets.named("resaware-figures").maker().of(inputs);

    List<Cell> cells =
        preset.run(1, _ -> {}).stream().filter(cell -> cell.table().equals("homogeneous")).toList();

    double exclusive = figure(cells, "exclusive", "pending_seconds_at_250_percent");
    assertThat(figure(cells, "gpushare", "pending_seconds_at_250_percent")).isEqualTo(exclusive);
    assertThat(figure(cells, "gpushare", "pending_seconds_at_0_percent")).isLessThan(exclusive / 4);
    assertThat(figure(cells, "resaware", "pending_seconds_at_250_percent"))
        .isLessThan(exclusive / 4);
    for (String policy : List.of("exclusive", "gpushare")) {
      assertThat(figure(cells, policy, "p99_over_resaware")).isGreaterThan(1.5);
      assertThat(figure(cells, policy, "energy_over_resaware")).isGreaterThan(1.2);
      assertThat(figure(cells, policy, "mean_memory_over_resaware")).isLessThan(0.8);
    }
  }

  @Test
  void intervalsAreThoseOfTheMean() {
    Cell.Sample sample = Cell.Sample.of(List.of(1.0, 2.0, 3.0));

    assertThat(sample.mean()).isEqualTo(2);
    assertThat(sample.halfWidth()).isCloseTo(1.96 / Math.sqrt(3), within(1e-12));
    assertThat(Cell.Sample.of(List.of(5.0)).halfWidth()).isZero();
  }
}
