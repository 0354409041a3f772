package dev.cotenant.lab.plans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.lab.plans.ServiceMixes.Figures;
import dev.cotenant.lab.plans.ServiceMixes.Outcome;
import dev.cotenant.placement.igniter.IgniterPlanner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ServiceMixesTest {
  private static Outcome outcome(int mixes) {
    SharingLimits limits = SharingLimits.DEFAULT.withTenants(8).withLeastCoverage(Coverage.of(0.5));
    return new ServiceMixes(limits, IgniterPlanner.IGNITER, 2).of(mixes, 5, _ -> {});
  }

  @Test
  void keepObjectivesThatPlansForEqualIntervalsMissAndAreTheSameForASeed() {
    Outcome outcome = outcome(2);

    verify(outcome, 2);
    assertThat(outcome(2)).isEqualTo(outcome);
  }

  @Test
  @Tag("long")
  void keepObjectivesInMoreMixes() {
    verify(outcome(6), 6);
  }

  private static void verify(Outcome outcome, int mixes) {
    Figures arriving = outcome.decided();
    assertThat(arriving.mixes()).isEqualTo(mixes);
    assertThat(arriving.admitted()).isEqualTo(arriving.services()).isBetween(4 * mixes, 24 * mixes);
    assertThat(arriving.met()).isGreaterThanOrEqualTo((int) (0.99 * arriving.admitted()));
    assertThat(outcome.plannedMixes().mixes()).isEqualTo(mixes / 2);
    assertThat(outcome.planned().services()).isEqualTo(outcome.plannedMixes().services());
    assertThat(outcome.planned().met()).isLessThan(outcome.planned().admitted() / 2);
  }
}
