package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.forecast;
import static dev.cotenant.placement.Clusters.gpu;
import static dev.cotenant.placement.Clusters.prediction;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.tenant;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** GPUs of 40 GiB, 38 less headroom, and a tenant that was granted 20 GiB a day ago. */
class StayingGrantsTest {
  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  private Decision decide(long usedGib, long forecastGib, boolean grantsStay, long newcomerGib) {
    return decide(usedGib, forecastGib, grantsStay, newcomerGib, Duration.ofDays(1));
  }

  private Decision decide(
      long usedGib, long forecastGib, boolean grantsStay, long newcomerGib, Duration age) {
    MemoryForecast bound = forecast("peak-bound", forecastGib);
    MemoryOutlook seen =
        new MemoryOutlook.Measured(
            MemorySize.ofGiB(usedGib),
            MemorySize.ofGiB(usedGib),
            Duration.ofSeconds(20),
            Duration.ofMinutes(30),
            List.of(bound),
            grantsStay);
    return decider.decide(
        cluster(gpu("GPU-a", shared(tenant("team-a/old", 10, 20, age)), seen)),
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
    Duration young = Duration.ofMinutes(2);
    assertThat(decide(15, 15, false, 18, young)).isNotInstanceOf(Decision.Admitted.class);
    assertThat(decide(15, 15, true, 18, young)).isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void moreInUseThanGrantedCounts() {
    assertThat(decide(24, 24, true, 14)).isInstanceOf(Decision.Admitted.class);
    assertThat(decide(24, 24, true, 15)).isNotInstanceOf(Decision.Admitted.class);
  }
}
