package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.lifetime.LifetimeStore;
import dev.cotenant.engine.lifetime.PodLifetimes;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The stay of a pod is stored once, when the leader that saw it run sees it no more. */
class EndedRunsTest {
  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

  private final List<LifetimeStore.Lifetime> stored = new ArrayList<>();
  private boolean down;
  private final LifetimeStore store =
      new LifetimeStore() {
        @Override
        public void add(List<Lifetime> lifetimes) {
          if (down) {
            throw new StoreException("The store is down.", new IOException("as told"));
          }
          stored.addAll(lifetimes);
        }

        @Override
        public long state() {
          return stored.size();
        }

        @Override
        public List<Lifetime> all() {
          return stored;
        }
      };
  private Instant now = START;
  private GateView view = GateView.NOT_LEADING;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final EndedRuns runs = new EndedRuns(() -> view, store, meters, () -> now);

  private static Holding holding(String name, @Nullable String model, @Nullable Instant started) {
    PodIdentity pod = new PodIdentity("team-a", name, null);
    WatchedPod watched =
        new WatchedPod(
            "uid-" + name,
            "1",
            pod,
            new Colocatable(
                pod,
                new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
                new WorkloadAnnotations(
                    model, 16, RunSettings.DEFAULT, null, null, null, null, List.of()),
                new NodeConstraints(null, List.of())),
            Map.of(),
            new WatchedPod.Scheduling(
                List.of(),
                "node",
                NodeRequirements.NONE,
                0,
                false,
                WatchedPod.Scheduling.DEFAULT_SCHEDULER),
            new WatchedPod.Life(START, started, WatchedPod.Phase.RUNNING, false, false, null),
            true,
            Footprint.NONE);
    return new Holding(
        watched,
        GrantState.BOUND,
        new Decision.Admitted(List.of(new Grant("GPU-1", "node", null)), new Evidence.Recorded("")),
        null);
  }

  private void look(long term, Duration passed, Holding... granted) {
    now = START.plus(passed);
    Map<PodIdentity, Holding> byName = new HashMap<>();
    for (Holding held : granted) {
      byName.put(held.pod().pod(), held);
    }
    view = new GateView(term, now, List.of(), byName);
    runs.observe();
  }

  @Test
  void thePodThatIsGoneHasStayedSinceItsStart() {
    Holding first = holding("one", "resnet50", START.plusSeconds(60));
    Holding second = holding("two", "resnet50", START);
    look(1, Duration.ofMinutes(2), first, second);
    look(1, Duration.ofMinutes(11), second);
    look(1, Duration.ofMinutes(12), second);

    assertThat(stored)
        .containsExactly(
            new LifetimeStore.Lifetime(
                "team-a",
                PodLifetimes.key(new Workload("resnet50", 16, RunSettings.DEFAULT)),
                Duration.ofMinutes(10),
                START.plus(Duration.ofMinutes(11))));
    assertThat(meters.counter("cotenant.pod.lifetimes").count()).isEqualTo(1);
  }

  /** A new leader may see fewer pods at first, and one that does not lead sees none. */
  @Test
  void aChangeOfLeadersIsNoEnd() {
    Holding pod = holding("one", "resnet50", START);
    look(1, Duration.ofMinutes(2), pod);
    look(0, Duration.ofMinutes(3));
    look(0, Duration.ofMinutes(4));
    look(3, Duration.ofMinutes(5));
    look(3, Duration.ofMinutes(6), pod);

    assertThat(stored).isEmpty();
    look(3, Duration.ofMinutes(7));
    assertThat(stored)
        .extracting(LifetimeStore.Lifetime::length)
        .containsExactly(Duration.ofMinutes(7));
  }

  @Test
  void podsThatNeverRanOrNameNoModelGiveNone() {
    look(
        1,
        Duration.ofMinutes(2),
        holding("waits", "resnet50", null),
        holding("unnamed", null, START),
        holding("ahead", "resnet50", START.plus(Duration.ofHours(1))));
    look(1, Duration.ofMinutes(3));

    assertThat(stored).isEmpty();
  }

  @Test
  void whatTheStoreDoesNotTakeIsOfferedAgain() {
    look(1, Duration.ofMinutes(2), holding("one", "resnet50", START));
    down = true;
    assertThatThrownBy(() -> look(1, Duration.ofMinutes(3))).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> look(1, Duration.ofMinutes(4))).isInstanceOf(StoreException.class);
    down = false;
    look(1, Duration.ofMinutes(5));

    assertThat(stored)
        .extracting(LifetimeStore.Lifetime::length)
        .containsExactly(Duration.ofMinutes(3));
    assertThat(meters.counter("cotenant.pod.lifetimes").count()).isEqualTo(1);
  }
}
