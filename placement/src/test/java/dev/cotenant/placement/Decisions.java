package dev.cotenant.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Reason;
import java.util.List;

/** What a decision says, for tests that know which kind it is. */
final class Decisions {
  private Decisions() {}

  static List<Reason> reasons(Decision decision) {
    return switch (decision) {
      case Decision.Held(List<Reason> reasons) -> reasons;
      case Decision.Denied(List<Reason> reasons) -> reasons;
      case Decision.Admitted admitted -> throw new AssertionError("admitted: " + admitted);
    };
  }

  static List<String> codes(Decision decision) {
    return reasons(decision).stream().map(Reason::code).toList();
  }

  static String grantedTo(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.Admitted.class);
    return ((Decision.Admitted) decision).grants().getFirst().gpuUuid();
  }

  static Evidence.WithinLimits evidence(Decision decision) {
    assertThat(decision).isInstanceOf(Decision.Admitted.class);
    return (Evidence.WithinLimits) ((Decision.Admitted) decision).evidence();
  }

  /** Code and sentence of each reason. */
  static List<String> lines(Decision decision) {
    return reasons(decision).stream().map(r -> r.code() + ": " + r.sentence()).toList();
  }
}
