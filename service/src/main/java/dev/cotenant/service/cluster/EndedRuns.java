package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.engine.lifetime.LifetimeStore;
import dev.cotenant.engine.lifetime.LifetimeStore.Lifetime;
import dev.cotenant.engine.lifetime.PodLifetimes;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Stores how long granted pods stayed, once they have ended: those that were there at the last look
 * of the same leader and are not any more. Pods that end while nobody leads are not seen. Called
 * periodically by one thread.
 */
public final class EndedRuns {
  private final Supplier<GateView> gate;
  private final LifetimeStore store;
  private final Counter stored;
  private final InstantSource clock;

  /** Pods that have started, by uid. */
  private Map<String, Running> before = Map.of();

  private long term;

  /** Ends that the store did not take. */
  private final List<Lifetime> pending = new ArrayList<>();

  private record Running(String namespace, String workload, Instant since) {}

  public EndedRuns(
      Supplier<GateView> gate, LifetimeStore store, MeterRegistry meters, InstantSource clock) {
    this.gate = gate;
    this.store = store;
    this.clock = clock;
    stored = meters.counter("cotenant.pod.lifetimes");
  }

  /**
   * Looks at every pod once.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when stays cannot be stored; they are
   *     offered again at the next look
   */
  public void observe() {
    GateView view = gate.get();
    Map<String, Running> running = running(view);
    if (view.term() == term && view.term() > 0) {
      Instant now = clock.instant();
      before.forEach((uid, pod) -> {
        Duration length = Duration.between(pod.since, now);
        if (!running.containsKey(uid) && length.toSeconds() > 0) {
          pending.add(new Lifetime(pod.namespace, pod.workload, length, now));
        }
      });
    }
    term = view.term();
    before = running;
    if (!pending.isEmpty()) {
      keepNewest();
      store.add(List.copyOf(pending));
      stored.increment(pending.size());
      pending.clear();
    }
  }

  /** While the store is down the list stays within what it would take. */
  private void keepNewest() {
    int surplus = pending.size() - LifetimeStore.OF_NAMESPACE;
    if (surplus > 0) {
      pending.subList(0, surplus).clear();
    }
  }

  private static Map<String, Running> running(GateView view) {
    Map<String, Running> running = new HashMap<>();
    for (Holding held : view.granted().values()) {
      Instant since = held.pod().life().startedAt();
      if (since != null) {
        GrantReader.workload(held.pod().request())
            .ifPresent(workload ->
                running.put(
                    held.pod().uid(),
                    new Running(held.pod().pod().namespace(), PodLifetimes.key(workload), since)));
      }
    }
    return running;
  }
}
