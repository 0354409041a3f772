package dev.cotenant.service.history;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Waiting;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.service.cluster.Control;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as it is now, made at most once a second however many ask. Slowdowns of tenants that
 * stay together are predicted once. Thread safe.
 */
public final class LiveState {
  private static final Duration FRESH = Duration.ofSeconds(1);

  private final Control control;
  private final Terms terms;
  private final InstantSource clock;
  private Map<List<Tenant>, Double> slowdowns = Map.of();
  private @Nullable Now last;

  /**
   * What totals depend on.
   *
   * @param prices of a GPU hour, by device
   * @param harm measured harm of colocated pods
   */
  public record Terms(
      SharingLimits limits,
      Map<String, Double> prices,
      ClusterState.Slowdowns slowdowns,
      Consolidation consolidation,
      MeasuredHarm harm) {
    public Terms {
      prices = Map.copyOf(prices);
    }
  }

  /**
   * The present.
   *
   * @param isGated whether pods wait at a gate in this cluster
   * @param waiting gated pods in queue order
   * @param pairs pods that could share a GPU
   * @param harm measured harm of colocated pods, the worst first
   */
  public record Now(
      Instant at,
      ClusterState cluster,
      boolean isGated,
      List<Waiting> waiting,
      List<Consolidation.Pair> pairs,
      List<MeasuredHarm.Harm> harm) {
    public Now {
      waiting = List.copyOf(waiting);
      pairs = List.copyOf(pairs);
      harm = List.copyOf(harm);
    }
  }

  public LiveState(Control control, Terms terms, InstantSource clock) {
    this.control = control;
    this.terms = terms;
    this.clock = clock;
  }

  /**
   * The present, at most a second old.
   *
   * @throws dev.cotenant.admission.capacity.NotLeadingException where another process leads
   */
  public synchronized Now now() {
    Instant at = clock.instant();
    Now known = last;
    if (known != null && at.isBefore(known.at.plus(FRESH))) {
      return known;
    }
    @Nullable GateView view = control.view().orElse(null);
    List<Waiting> waiting = view == null ? List.of() : view.queue();
    Map<List<Tenant>, Double> used = new HashMap<>();
    ClusterSnapshot snapshot = control.capacity().withGrants();
    List<MeasuredHarm.Harm> harm = terms.harm.now(at);
    ClusterState cluster =
        ClusterState.of(
            snapshot,
            new ClusterState.Context(
                waiting.size(),
                view == null ? Map.of() : view.unschedulableNodes(),
                harm,
                terms.limits,
                terms.prices,
                (device, tenants) ->
                    used.computeIfAbsent(tenants, together -> worst(device, together))));
    slowdowns = used;
    Now present =
        new Now(at, cluster, view != null, waiting, terms.consolidation.pairs(snapshot), harm);
    last = present;
    return present;
  }

  /** Tenants have one GPU at a time, so that they identify its device too. */
  private double worst(DeviceId device, List<Tenant> tenants) {
    @Nullable Double known = slowdowns.get(tenants);
    return known == null ? terms.slowdowns.worst(device, tenants) : known;
  }
}
