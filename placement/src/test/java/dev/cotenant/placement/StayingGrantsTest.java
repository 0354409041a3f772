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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** GPUs of 40 GiB, 38 less headroom, and a tenant that was granted 20 GiB a day ago. */
class StayingGrantsTest {
  private static final Duration OLD = Duration.ofDays(1);
  private static final Duration YOUNG = Duration.ofMinutes(2);

  /** As of a pod that was granted memory and has not started. */
  private static final Duration UNSTARTED = Duration.ofDays(-1_000);

  private static final Class<Decision.Admitted> ADMITTED = Decision.Admitted.class;

  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  private Decision decide(long usedGib, long forecastGib, boolean grantsStay, long newcomerGib) {
    return decide(usedGib, forecastGib, grantsStay, newcomerGib, OLD);
  }

  private Decision decide(
      long usedGib,
      long forecastGib,
      boolean grantsStay,
      long newcomerGib,
      Duration age,
      Tenant... others) {
    MemorySize ahead = MemorySize.ofGiB(forecastGib);
    MemoryForecast bound =
        new MemoryForecast(
            "peak-bound",
            new MemoryForecast.Applies("test", ahead, ahead, ahead, Coverage.STANDARD),
            Duration.ofMinutes(10),
            30,
            Duration.ofSeconds(20));
    MemoryObservation seen =
        new MemoryObservation.Measured(
            MemorySize.ofGiB(usedGib),
            MemorySize.ofGiB(usedGib),
            Duration.ofSeconds(20),
            Duration.ofMinutes(30),
            List.of(bound),
            grantsStay ? Duration.ZERO : null);
    List<Tenant> tenants = new ArrayList<>(List.of(others));
    tenants.add(tenant("team-a/old", 10, 20, age));
    return decider.decide(
        cluster(gpu("GPU-a", shared(tenants.toArray(Tenant[]::new)), seen)),
        new PlacementRequest.Share(
            "team-a/new", Map.of(A100.id(), prediction(10, newcomerGib)), SharingLimits.DEFAULT));
  }

  @Test
  void aGrantIsNotForgottenWhereItStays() {
    assertThat(decide(5, 6, false, 25)).isInstanceOf(Decision.Admitted.class);
    assertThat(decide(5, 6, true, 25)).isNotInstanceOf(Decision.Admitted.class);
    assertThat(decide(5, 6, true, 18)).isInstanceOf(Decision.Admitted.class);
    assertThat(decide(5, 6, true, 19)).isNotInstanceOf(Decision.Admitted.class);
  }

  /** Without grants that stay, what a young tenant has begun to use counts beside its grant. */
  @Test
  void memoryInUseIsTheTenants() {
    assertThat(decide(15, 15, false, 18, YOUNG)).isNotInstanceOf(Decision.Admitted.class);
    assertThat(decide(15, 15, true, 18, YOUNG)).isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void moreInUseThanGrantedCounts() {
    assertThat(decide(24, 24, true, 14)).isInstanceOf(Decision.Admitted.class);
    assertThat(decide(24, 24, true, 15)).isNotInstanceOf(Decision.Admitted.class);
  }

  /**
   * What a young tenant was granted counts beside memory that the old ones' grants do not cover.
   */
  @Test
  void aYoungTenantsGrantDoesNotCoverWhatOthersUse() {
    Tenant young = tenant("team-a/young", 10, 10, YOUNG);

    // 24 of 20 GiB in use, 10 to come: 34 of 38.
    assertThat(decide(24, 24, true, 8, OLD, young)).isNotInstanceOf(ADMITTED);
    assertThat(decide(24, 24, true, 4, OLD, young)).isInstanceOf(ADMITTED);
    // 31 in use, beyond both grants, 10 to come.
    assertThat(decide(31, 31, true, 1, OLD, young)).isNotInstanceOf(ADMITTED);
    // What the old tenant uses is within its grant: 30.
    assertThat(decide(19, 19, true, 8, OLD, young)).isInstanceOf(ADMITTED);
    assertThat(decide(19, 19, true, 9, OLD, young)).isNotInstanceOf(ADMITTED);
  }

  @Test
  void severalYoungTenantsGrantsCoverWhatTheyUse() {
    Tenant young = tenant("team-a/young", 10, 10, YOUNG);

    assertThat(decide(29, 29, true, 8, YOUNG, young)).isInstanceOf(ADMITTED);
    assertThat(decide(29, 29, true, 9, YOUNG, young)).isNotInstanceOf(ADMITTED);
    // More than both were granted is somebody else's.
    assertThat(decide(31, 31, true, 1, YOUNG, young)).isNotInstanceOf(ADMITTED);
  }

  @Test
  void memoryThatNobodyWasGrantedCountsBesideTheGrantsThatItExceeds() {
    // The tenant uses 5 of 20 GiB, another process 18: 23 in use.
    assertThat(decide(23, 23, true, 15)).isInstanceOf(ADMITTED);
    assertThat(decide(23, 23, true, 16)).isNotInstanceOf(ADMITTED);
  }

  /** Memory in use is of processes without grants, or of tenants that have started. */
  @Test
  void aPodThatHasNotStartedExplainsNoMemory() {
    assertThat(decide(17, 17, true, 1, UNSTARTED)).isInstanceOf(ADMITTED);
    assertThat(decide(17, 17, true, 2, UNSTARTED)).isNotInstanceOf(ADMITTED);
    // 5 in use are within the 10 of the started one; 10 and 20 were granted.
    Tenant young = tenant("team-a/young", 10, 10, YOUNG);
    assertThat(decide(5, 5, true, 8, UNSTARTED, young)).isInstanceOf(ADMITTED);
    assertThat(decide(5, 5, true, 9, UNSTARTED, young)).isNotInstanceOf(ADMITTED);
    // 11 are not: 31 with the 20 to come, and 10 more that the young one may not have begun to use.
    assertThat(decide(11, 11, true, 1, UNSTARTED, young)).isNotInstanceOf(ADMITTED);
  }

  @Test
  void aYoungTenantsGrantCountsBesideAStatedBoundAboveTheOldGrants() {
    Tenant young = tenant("team-a/young", 10, 10, YOUNG);

    // 26 ahead of the old tenant, 10 to come: 36 of 38.
    assertThat(decide(19, 26, true, 2, OLD, young)).isInstanceOf(ADMITTED);
    assertThat(decide(19, 26, true, 3, OLD, young)).isNotInstanceOf(ADMITTED);
  }

  @Test
  void aStatedBoundAboveTheGrantsCounts() {
    assertThat(decide(19, 26, true, 12)).isInstanceOf(ADMITTED);
    assertThat(decide(19, 26, true, 13)).isNotInstanceOf(ADMITTED);
  }
}
