package dev.cotenant.lab.serving;

import static dev.cotenant.lab.TestInputs.figure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.lab.TestInputs;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.gpulets.GletApplication;
import dev.cotenant.lab.gpulets.NamedScenario;
import dev.cotenant.lab.serving.GpuLetsThroughput.Load;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A short form of each preset of request streams. */
class ServingPresetsTest {
  private final List<UtilizationCell> utilizations = new TestInputs().utilizations("glet");

  /** Five minutes: the first rise. Room above observed rates takes up the rise, and bursts. */
  @Test
  void violationsFallWhereRatesArePlannedWithRoom() {
    List<Cell> cells = new GpuLetsFluctuation(utilizations, Duration.ofMinutes(5)).run(1, _ -> {});

    String metric = "violation_percent";
    double gpulets = figure(cells, "gpulets", metric);
    assertThat(gpulets).isLessThan(figure(cells, "gpulets, observed rates", metric) / 2);
    assertThat(figure(cells, "gpulets, even arrivals", metric)).isLessThanOrEqualTo(gpulets);
    assertThat(figure(cells, "gpulets, rising rates ahead", metric))
        .isLessThan(figure(cells, "gpulets, observed rates", metric) / 2);
    assertThat(figure(cells, "gpulets", "mean_share_percent_of_400"))
        .isLessThan(figure(cells, "sbp", "mean_share_percent_of_400"));
    assertThat(cells).allMatch(Cell::meetsItsBar);
  }

  /** One application and one scenario. */
  @Test
  void elasticPartitionsScheduleMoreThanWholeGpusAndHold() {
    List<Load> loads = List.of(Load.of(GletApplication.TRAFFIC), Load.of(NamedScenario.EQUAL));
    List<Cell> cells =
        new GpuLetsThroughput(utilizations, loads, Duration.ofSeconds(20)).run(1, _ -> {});

    assertThat(figure(cells, "gpulets-nointerference", "mean_scheduled_over_sbp"))
        .isGreaterThan(figure(cells, "gpulets", "mean_scheduled_over_sbp"));
    assertThat(figure(cells, "gpulets", "mean_scheduled_over_ideal")).isLessThanOrEqualTo(1);
    for (Load load : loads) {
      String metric = "violation_percent_" + load.name();
      assertThat(figure(cells, "gpulets, whole rates", metric))
          .isLessThan(figure(cells, "gpulets-nointerference", metric));
    }
    assertThat(cells).allMatch(Cell::meetsItsBar);
  }

  /** One scenario in sixteen. */
  @Test
  void halvesOfGpusLetAllScenariosIn() {
    List<Cell> cells = new GpuLetsScenarios(utilizations).run(1, _ -> {});

    assertThat(figure(cells, "sbp, whole GPUs", "schedulable_percent")).isLessThan(95);
    assertThat(cells).allMatch(Cell::meetsItsBar);
  }

  @Test
  void theLinearFactorErrsAtMostAsPublished() {
    List<Cell> cells = new GpuLetsInterference(new TestInputs()::factorErrors).run(2, _ -> {});

    assertThat(cells).hasSize(2).allMatch(Cell::meetsItsBar);
  }

  /** Two draws of twelve workloads. */
  @Test
  void bestNeedsAtMostTheGpusOfIgniter() {
    List<Cell> cells = new IgniterMargin(List.of(12)).run(2, _ -> {});

    assertThat(figure(cells, "best", "violations_of_12_workloads")).isZero();
    assertThat(cells).allMatch(Cell::meetsItsBar);
  }
}
