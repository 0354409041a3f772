package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.gpu;
import static dev.cotenant.placement.Clusters.prediction;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.tenant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * GPUs of 40 GiB, 38 less headroom, of which a tenant uses 5 and is bounded by 6 for ten minutes;
 * it was granted 20.
 */
class ExpectedStayTest {
  private static final Duration HORIZON = Duration.ofMinutes(10);
  private static final Duration DAY = Duration.ofDays(1);
  private static final @Nullable Duration UNKNOWN = null;

  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  private static Tenant old(@Nullable Duration stay) {
    return tenant("team-a/old", 10, 20, DAY).stayingFor(stay);
  }

  private boolean fits(long newcomerGib, @Nullable Duration stay, Tenant... tenants) {
    MemorySize ahead = MemorySize.ofGiB(6);
    MemoryForecast bound =
        new MemoryForecast(
            "peak-bound",
            new MemoryForecast.Applies("test", ahead, ahead, ahead, Coverage.STANDARD),
            HORIZON,
            30,
            Duration.ofSeconds(20));
    MemoryObservation seen =
        new MemoryObservation.Measured(
            MemorySize.ofGiB(5),
            MemorySize.ofGiB(5),
            Duration.ofSeconds(20),
            Duration.ofMinutes(30),
            List.of(bound),
            HORIZON);
    Decision decision =
        decider.decide(
            cluster(gpu("GPU-a", shared(tenants), seen)),
            new PlacementRequest.Share(
                "team-a/new",
                Map.of(A100.id(), prediction(10, newcomerGib).withLifetime(stay)),
                SharingLimits.DEFAULT));
    return decision instanceof Decision.Admitted;
  }

  @Test
  void theGrantCountsWhereBothStay() {
    assertThat(fits(18, Duration.ofHours(3), old(Duration.ofDays(2)))).isTrue();
    assertThat(fits(19, Duration.ofHours(3), old(Duration.ofDays(2)))).isFalse();
  }

  @Test
  void theBoundSufficesWhereTheTenantLeavesSoon() {
    Tenant leaving = old(DAY.plus(HORIZON));
    assertThat(fits(32, Duration.ofHours(3), leaving)).isTrue();
    assertThat(fits(33, Duration.ofHours(3), leaving)).isFalse();
    assertThat(fits(19, Duration.ofHours(3), old(DAY.plus(HORIZON).plusSeconds(1)))).isFalse();
  }

  @Test
  void theBoundSufficesForANewcomerThatLeavesSoon() {
    assertThat(fits(32, HORIZON, old(UNKNOWN))).isTrue();
    assertThat(fits(19, HORIZON.plusSeconds(1), old(UNKNOWN))).isFalse();
  }

  /** Nobody knows how much longer. */
  @Test
  void whoIsOverdueOrUnknownCountsAsStaying() {
    assertThat(fits(19, UNKNOWN, old(UNKNOWN))).isFalse();
    assertThat(fits(19, UNKNOWN, old(DAY))).isFalse();
    assertThat(fits(19, UNKNOWN, old(Duration.ofSeconds(1)))).isFalse();
    assertThat(fits(18, UNKNOWN, old(Duration.ofSeconds(1)))).isTrue();
  }

  /** 20 GiB stay; the others use at most their 4 GiB of the 6 that are bounded: 24 of 38. */
  @Test
  void tenantsThatLeaveCountForNoMoreThanTheirGrants() {
    Tenant leaving = tenant("team-a/leaving", 10, 4, DAY).stayingFor(DAY.plusMinutes(5));
    assertThat(fits(14, UNKNOWN, old(UNKNOWN), leaving)).isTrue();
    assertThat(fits(15, UNKNOWN, old(UNKNOWN), leaving)).isFalse();
  }

  /** It is not in the series: 6 and 10 to come, beside 20 that stay 30 of 38. */
  @Test
  void aYoungTenantCountsBesideTheBound() {
    Tenant young = tenant("team-a/young", 10, 10, Duration.ofMinutes(1));
    Tenant leaving = young.stayingFor(Duration.ofMinutes(5));
    assertThat(fits(8, UNKNOWN, old(UNKNOWN), leaving)).isTrue();
    assertThat(fits(9, UNKNOWN, old(UNKNOWN), leaving)).isFalse();
    assertThat(fits(22, HORIZON, old(UNKNOWN), young)).isTrue();
    assertThat(fits(23, HORIZON, old(UNKNOWN), young)).isFalse();
  }
}
