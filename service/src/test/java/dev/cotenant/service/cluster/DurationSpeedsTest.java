package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.engine.risk.SpeedStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationSpeedsTest extends SpeedWatchBench {
  private final List<WatchedPod> completed = new ArrayList<>();
  private final Map<String, WatchedPod> pods = new HashMap<>();
  private long term = 1;
  private boolean down;

  private final DurationSpeeds durations =
      new DurationSpeeds(
          this::seen,
          new SpeedStore() {
            @Override
            public void add(List<MeasuredSpeed> rows) {
              if (down) {
                throw new StoreException("the store is down", new IOException("as told"));
              }
              stored.addAll(rows);
            }

            @Override
            public Map<String, Long> newest() {
              return Map.of();
            }

            @Override
            public List<MeasuredSpeed> of(String namespace) {
              return stored;
            }
          },
          meters);

  private GateView seen() {
    GateView base = view();
    return new GateView(
        term, now, List.of(), base.granted(), base.cluster(), base.health(), completed, Map.of());
  }

  private void starts(String name, @Nullable String owner) {
    pod(name, Map.of());
    PodIdentity identity = new PodIdentity("team-a", name, null);
    Holding held = Objects.requireNonNull(granted.get(identity));
    WatchedPod pod = held.pod();
    WatchedPod owned =
        new WatchedPod(
            pod.uid(),
            pod.resourceVersion(),
            pod.pod(),
            pod.request(),
            pod.annotations(),
            pod.scheduling(),
            new WatchedPod.Life(now, now, WatchedPod.Phase.RUNNING, false, false, owner),
            true,
            pod.footprint());
    pods.put(name, owned);
    granted.put(identity, new Holding(owned, held.state(), held.decision(), null));
  }

  /** Is gone, and where it completed among the completed. */
  private void ends(String name, boolean completes) {
    granted.remove(new PodIdentity("team-a", name, null));
    tenants.removeIf(tenant -> tenant.name().equals("team-a/" + name));
    if (completes) {
      completed.add(Objects.requireNonNull(pods.get(name)));
    }
    durations.observe();
  }

  private void pass(int minutes) {
    for (int i = 0; i < 2 * minutes; i++) {
      durations.observe();
      now = now.plusSeconds(30);
    }
  }

  @Test
  void aCompletedRunIsASpeedOverItsDuration() {
    starts("a", "Job/nightly-29384756");
    pass(30);
    ends("a", true);

    assertThat(stored)
        .singleElement()
        .satisfies(row -> {
          assertThat(row.source()).isEqualTo(SpeedSource.DURATION);
          assertThat(row.work()).isEqualTo("Job/nightly");
          assertThat(row.speed()).isCloseTo(1 / 1800.0, within(1e-9));
          assertThat(row.isAlone()).isTrue();
          assertThat(row.device()).isEqualTo("a100-40gb");
        });
    durations.observe();
    assertThat(stored).as("once").hasSize(1);
    assertThat(meters.counter("cotenant.duration.speeds").count()).isEqualTo(1);
  }

  @Test
  void neighboursAreThoseOfNearlyAllOfTheTime() {
    starts("a", "Job/nightly-29384756");
    pass(1);
    starts("b", null);
    pass(29);
    ends("a", true);
    assertThat(stored).singleElement().satisfies(row -> assertThat(row.neighbours()).hasSize(1));

    starts("c", "Job/nightly-29384757");
    pass(15);
    ends("b", false);
    pass(15);
    ends("c", true);
    assertThat(stored).as("half of it alone").hasSize(1);
  }

  @Test
  void runsThatFailOrAreTooShortOrWereNotWatchedGiveNone() {
    starts("failed", "Job/nightly-29384756");
    pass(30);
    ends("failed", false);
    starts("short", "Job/nightly-29384757");
    pass(4);
    ends("short", true);
    starts("of-another-leader", "Job/nightly-29384758");
    pass(10);
    term = 2;
    pass(10);
    ends("of-another-leader", true);
    starts("unwatched", "Job/nightly-29384759");
    pass(10);
    now = now.plus(Duration.ofMinutes(10));
    pass(10);
    ends("unwatched", true);
    starts("without-owner", null);
    pass(30);
    ends("without-owner", true);
    starts("of-a-deployment", "ReplicaSet/serve-5d9f");
    pass(30);
    ends("of-a-deployment", true);

    assertThat(stored).isEmpty();
  }

  @Test
  void isOfferedAgainAfterAnOutageOfTheStore() {
    starts("a", "Job/nightly-29384756");
    pass(30);
    down = true;
    assertThatThrownBy(() -> ends("a", true)).isInstanceOf(StoreException.class);
    down = false;
    durations.observe();
    assertThat(stored).hasSize(1);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "Job/nightly-29384756, Job/nightly",
    "Job/train-x7k2p, Job/train",
    "Job/train, Job/train",
    "Job/resnet-50, Job/resnet-50",
    "ReplicaSet/serve-5d9f,",
    ",",
  })
  void theOwnerIsThatOfAllRuns(@Nullable String controller, @Nullable String owner) {
    starts("a", controller);
    assertThat(DurationSpeeds.owner(Objects.requireNonNull(pods.get("a")))).isEqualTo(owner);
  }
}
