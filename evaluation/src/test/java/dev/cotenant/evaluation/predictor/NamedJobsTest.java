package dev.cotenant.evaluation.predictor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.predictor.testing.SyntheticRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class NamedJobsTest {
  private static final List<ProfileRow> RANDOM_NETWORKS = renamed("gpumemnet", 60, 0);

  /** A host that takes 900 MiB less; three families of eight jobs. */
  private static final List<ProfileRow> JOBS = renamed("carma", 24, 900);

  private static List<ProfileRow> renamed(String origin, int count, int lessMebibytes) {
    List<ProfileRow> rows = new ArrayList<>();
    for (ProfileRow row : SyntheticRuns.result(count, "a100-40gb", count).rows()) {
      String family = origin.equals("gpumemnet") ? row.family() : "family-" + rows.size() % 3;
      MemorySize peak = Objects.requireNonNull(row.peakMemory());
      rows.add(
          new ProfileRow(
              origin + ":" + rows.size(),
              family,
              row.topology(),
              row.features(),
              row.settings(),
              row.device(),
              Measurement.NONE.withPeakMemory(peak.minusOrZero(MemorySize.ofMiB(lessMebibytes))),
              row.licence(),
              Quality.CLEAN));
    }
    return rows;
  }

  private static List<EvaluationRow> evaluate(List<ProfileRow> rows) {
    return new NamedJobs(DeviceCatalogue.builtIn(), 0.9, 1).evaluate(rows, "/clean");
  }

  private static EvaluationRow find(List<EvaluationRow> table, String protocol, String metric) {
    return table.stream()
        .filter(row -> row.protocol().equals(protocol) && row.metric().equals(metric))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void judgesJobsBeforeAndAfterFiveRunsOfTheirHost() {
    List<ProfileRow> rows = new ArrayList<>(RANDOM_NETWORKS);
    rows.addAll(JOBS);
    List<EvaluationRow> table = evaluate(rows);
    EvaluationRow unknown = find(table, "named-out/clean", "median_ape");
    EvaluationRow known = find(table, "named-out-5known/clean", "median_ape");
    assertThat(unknown.rows()).isEqualTo(24);
    assertThat(unknown.seeds()).isEqualTo(1);
    assertThat(known.rows()).isEqualTo(24);
    assertThat(known.seeds()).isEqualTo(20);
    assertThat(known.max()).isLessThan(unknown.value());
    assertThat(find(table, "named-out-5known/clean", "bound_coverage").value()).isBetween(0.8, 1.0);
    assertThat(evaluate(rows)).isEqualTo(table);
  }

  @Test
  void hasNothingToSayWithoutNamedJobsOrWithoutOthersToLearnFrom() {
    assertThat(evaluate(RANDOM_NETWORKS)).isEmpty();
    assertThat(evaluate(JOBS)).isEmpty();
    assertThat(evaluate(List.of())).isEmpty();
  }
}
