package dev.cotenant.placement.glet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DutyCyclesTest {
  private static final DutyCycles SBP = new DutyCycles();

  private static List<String> drawn(PoolPlan poolPlan) {
    return poolPlan.layouts().stream()
        .map(layout -> layout.gpulets().getFirst().assignments())
        .map(assignments ->
            assignments.stream()
                .map(s -> s.tenant().name() + s.batch() + "×" + Math.round(s.perSecond()))
                .toList()
                .toString())
        .toList();
  }

  /**
   * 5 + b ms within half of 20: batches of 5, 500 a second. 1,100 fill two GPUs; of the 100 left,
   * batches of b take b·10 ms to fill and 5 + b to run: 1 is the largest within 20.
   */
  @Test
  void fillsWholeGpusAndGivesTheRestADutyCycle() {
    Tenant a = Tenants.of("a", 20, 1100, Tenants.line(5, 1));

    assertThat(drawn(SBP.plan(Tenants.TEN, List.of(a))))
        .containsExactly("[a5×500]", "[a5×500]", "[a1×100]");
  }

  /**
   * A, 5 + b ms, 100 a second within 56: 4 fill in 40 ms and run 9 (5 fill in 50 and run 10: 60),
   * 9/40 of the time. B, 10 + b ms, 40 a second within 120: 3 fill in 75 ms and run 13 (4: 114
   * within 120, so 4: 100 + 14), 14/100 of the time. Together in A's cycle of 40 ms: 4 of A, ⌈1.6⌉
   * = 2 of B, 9 + 12 of 40 ms.
   */
  @Test
  void mergesDutyCyclesIntoTheShorterOne() {
    Tenant a = Tenants.of("a", 56, 100, Tenants.line(5, 1));
    Tenant b = Tenants.of("b", 120, 40, Tenants.line(10, 1));

    assertThat(drawn(SBP.plan(Tenants.TEN, List.of(b)))).containsExactly("[b4×40]");
    assertThat(drawn(SBP.plan(Tenants.TEN, List.of(a, b)))).containsExactly("[a4×100, b2×40]");
  }

  /**
   * B, 32 + b ms, 20 a second within 200: 3 fill in 150 ms and run 35. In A's cycle of 40 ms it
   * would be ⌈0.8⌉ = 1, which runs 33; with A's 9 that is 42.
   */
  @Test
  void keepsApartWhatDoesNotFitIntoTheCycle() {
    Tenant a = Tenants.of("a", 56, 100, Tenants.line(5, 1));
    Tenant b = Tenants.of("b", 200, 20, Tenants.line(32, 1));

    assertThat(drawn(SBP.plan(Tenants.TEN, List.of(a, b))))
        .containsExactlyInAnyOrder("[a4×100]", "[b3×20]");
  }

  /** With 30 + b it is 31 + 9, which just fits. */
  @Test
  void mergesWhatJustFits() {
    Tenant a = Tenants.of("a", 56, 100, Tenants.line(5, 1));
    Tenant b = Tenants.of("b", 200, 20, Tenants.line(30, 1));

    assertThat(drawn(SBP.plan(Tenants.TEN, List.of(a, b)))).containsExactly("[a4×100, b1×20]");
  }

  /** One a second never fills a batch within 20 ms: it gets the cycle that the objective leaves. */
  @Test
  void servesRareRequestsInTheCycleThatTheObjectiveLeaves() {
    Tenant rare = Tenants.of("rare", 20, 1, Tenants.line(5, 1));

    assertThat(drawn(SBP.plan(Tenants.TEN, List.of(rare)))).containsExactly("[rare1×1]");
  }

  @Test
  void leavesOutWhatFindsNoGpuAndTriesItAgain() {
    Tenant large = Tenants.of("large", 20, 1100, Tenants.line(5, 1));
    Tenant small = Tenants.of("small", 20, 400, Tenants.line(5, 1));

    PoolPlan poolPlan = SBP.plan(Tenants.pool(2), List.of(large, small));

    assertThat(poolPlan.left()).containsExactly(large);
    assertThat(poolPlan.layouts()).hasSize(1);
  }
}
