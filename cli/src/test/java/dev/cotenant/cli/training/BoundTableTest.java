package dev.cotenant.cli.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.evaluation.EvaluationRow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundTableTest {
  private final List<EvaluationRow> rows = new ArrayList<>();

  private void bounds(String protocol, double coverage, double loss, double constantLoss) {
    figure(protocol, "bound_coverage", coverage);
    figure(protocol, "bound_pinball", loss);
    figure(protocol, "constant_bound_pinball", constantLoss);
  }

  private void figure(String protocol, String metric, double value) {
    rows.add(
        EvaluationRow.overSeeds(
            new EvaluationRow.Subject("utilization", protocol, "hybrid", metric),
            new double[] {value},
            100,
            null));
  }

  private List<String> lines() {
    return new BoundTable(rows)
        .lines().stream().map(line -> line.replaceAll(" {2,}", "|")).toList();
  }

  @Test
  void saysWhereBoundsHoldAndAreTighterThanAConstant() {
    bounds("random-5fold/clean", 0.928, 0.006, 0.007);
    assertThat(lines())
        .containsExactly(
            "task|bounds under|below them|goal|reached|pinball loss|of a constant|less",
            "utilization|random-5fold/clean|92.8 %|88 to 95 %|yes|0.0060|0.0070|yes");
  }

  @Test
  void boundsThatHoldTooOftenMissTheGoalAmongTheLikeOnly() {
    bounds("topology-out/clean", 0.96, 0.02, 0.02);
    bounds("family-out/clean", 0.96, 0.03, 0.02);
    assertThat(lines().subList(1, 3))
        .containsExactly(
            "utilization|topology-out/clean|96.0 %|88 to 95 %|NO|0.0200|0.0200|NO",
            "utilization|family-out/clean|96.0 %|at least 85 %|yes|0.0300|0.0200|NO");
  }

  @Test
  void asksNothingWhereNoMethodHeld() {
    bounds("cnn-to-mlp-10shot/clean", 0.2, 0.1, 0.2);
    assertThat(lines().getLast()).contains("|stated only|-|");
  }

  @Test
  void leavesOutFiguresOfOneFamilyAndProtocolsWithoutALoss() {
    figure("random-5fold/clean", "bound_coverage/cnn", 0.9);
    figure("given-test/clean", "bound_coverage", 0.9);
    assertThat(new BoundTable(rows).isEmpty()).isTrue();
  }
}
