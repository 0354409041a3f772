package dev.cotenant.datasets.named;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.datasets.named.UtilPredWorkloads.Workload;
import dev.cotenant.domain.graph.ModelFeatures;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class UtilPredWorkloadsTest {
  private final List<Workload> all = UtilPredWorkloads.all();

  @Test
  void has81WorkloadsOf13ArchitecturesAsThePaperSays() {
    assertThat(all).hasSize(81).doesNotHaveDuplicates();
    assertThat(all.stream().map(Workload::family).distinct()).hasSize(13);
  }

  @Test
  void hasFeaturesOfEveryWorkloadInFull() {
    for (Workload workload : all) {
      assertThat(workload.features().shapeCoverage()).as(workload.toString()).isEqualTo(1);
      assertThat(workload.features().model().batchSize()).isEqualTo(workload.batch());
      assertThat(workload.features().model().multiplyAccumulates()).isPositive();
    }
  }

  /** 0.6 GiB + 4 · weights + 2 · activations, in 8 GiB: the next batch would not fit. */
  @Test
  void runsWhatFitsAGtx1080() {
    Map<String, List<Workload>> byNetwork =
        all.stream()
            .collect(Collectors.groupingBy(Workload::zooName, TreeMap::new, Collectors.toList()));
    for (List<Workload> batches : byNetwork.values()) {
      Workload largest = batches.getLast();
      assertThat(gibibytes(largest)).as(largest.toString()).isLessThan(8);
      if (largest.family().equals("lstm") || largest.family().equals("transformer")) {
        assertThat(largest.batch()).isEqualTo(64);
      } else if (largest.batch() < 512) {
        Workload next =
            new Workload(largest.zooName(), largest.family(), largest.input(), 2 * largest.batch());
        assertThat(gibibytes(next)).as(next.toString()).isGreaterThan(8);
      }
    }
  }

  private static double gibibytes(Workload workload) {
    ModelFeatures model = workload.features().model();
    double bytes = 4.0 * model.modelSize().bytes() + 2.0 * model.activations().bytes();
    return 0.6 + bytes / (1 << 30);
  }
}
