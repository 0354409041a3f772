package dev.cotenant.datasets.planning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IgniterPlansSourceTest {
  @TempDir Path folder;

  private List<WorkloadSet> read(String text) throws IOException {
    return new IgniterPlansSource(Files.writeString(folder.resolve("plans.json"), text)).read();
  }

  @Test
  void readsSetsAndSkipsWhatItDoesNotKnow() throws IOException {
    List<WorkloadSet> sets =
        read(
            """
            [{"name": "a", "workloads": [{"model": "ssd", "slo_ms": 80, "rate_qps": 100.5}],
              "gpus": 2, "plan": [[{"workload": 0}]], "too_large": false},
             {"gpus": 0, "name": "b", "workloads": []}]
            """);

    assertThat(sets)
        .containsExactly(
            new WorkloadSet("a", List.of(new WorkloadSet.Workload("ssd", 80, 100.5)), 2),
            new WorkloadSet("b", List.of(), 0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {}                                     | plans.json: must begin with an array of sets
          [                                      | plans.json:1: is not valid JSON
          [{"name": "a"}]                        | set 1: a set needs 'name', 'workloads'
          [{"name": "a", "workloads": 3}]        | set 1: a set needs 'name', 'workloads'
          [{"name": "a", "workloads": [], "gpus": "x"}] | set 1: a set needs 'name', 'workloads'
          [{"name": "a", "workloads": [{"model": "m"}], "gpus": 1}] | set 1: a workload needs
          [{"name": "a", "workloads": [{"model": "m", "slo_ms": 0, "rate_qps": 1}], "gpus": 1}] | set 1: a workload needs
          [7]                                    | set 1: a set needs 'name', 'workloads' and 'gpus'
          """)
  void namesLineOrSetOfWhatIsWrong(String text, String problem) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void readsThePublishedSets() {
    List<WorkloadSet> sets =
        new IgniterPlansSource(OutsideData.require("data/igniter/plan_oracle_v100.json")).read();

    assertThat(sets).hasSize(23);
    assertThat(sets.getFirst().workloads()).hasSize(12);
    assertThat(sets.stream().filter(set -> set.workloads().size() >= 12))
        .extracting(WorkloadSet::gpus)
        .satisfies(gpus -> assertThat(gpus.stream().mapToInt(g -> g).sum()).isEqualTo(174));
  }
}
