package dev.cotenant.admission.gate;

import dev.cotenant.admission.gate.GateView.Health;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.gate.GateView.Waiting;
import dev.cotenant.admission.gate.cycle.QueuedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Refusal;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.Profiles;
import dev.cotenant.admission.gate.write.Reconciler;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Makes the views of a term. */
final class Views {
  private final GatePorts ports;
  private final Term term;
  private final Reconciler reconciler;
  private final Profiles profiles;
  private final Map<String, Holding> byKey = new HashMap<>();
  private final Map<PodIdentity, Holding> byName = new HashMap<>();

  /** Keys of grants whose pods are unknown, by name or at all. */
  private final Set<String> unseen = new TreeSet<>();

  private Map<PodIdentity, Holding> published = Map.of();

  Views(GatePorts ports, Term term, Reconciler reconciler, Profiles profiles) {
    this.ports = ports;
    this.term = term;
    this.reconciler = reconciler;
    this.profiles = profiles;
  }

  GateView of(List<QueuedPod> queue, Instant now, int unverified) {
    List<Waiting> waiting = new ArrayList<>(queue.size());
    for (QueuedPod queued : queue) {
      if (queued.pod().isGated()) {
        waiting.add(waiting(queued, waiting.size() + 1, now));
      }
    }
    return new GateView(
        term.number(),
        now,
        waiting,
        granted(),
        term.cluster().snapshot(),
        health(unverified),
        term.completed(),
        term.cluster().unschedulableNodes());
  }

  private Waiting waiting(QueuedPod queued, int rank, Instant now) {
    TrackedPod pod = queued.pod();
    Policy policy = ports.policies().get().of(queued.state().pod().namespace());
    @Nullable Instant end = pod.waiting().ends(policy, now);
    @Nullable Refusal refused = pod.refused();
    return new Waiting(
        queued.state(),
        rank,
        queued.state().life().createdAt(),
        end == null ? null : Duration.between(now, end),
        pod.request(),
        pod.decision(),
        refused == null ? null : refused.asOf());
  }

  /** Updates what has changed, and copies: 30,000 grants are not looked up every time. */
  private Map<PodIdentity, Holding> granted() {
    Set<String> changed = term.ledger().takeChanged();
    changed.addAll(unseen);
    unseen.clear();
    changed.forEach(this::show);
    if (!changed.isEmpty()) {
      published = Collections.unmodifiableMap(new HashMap<>(byName));
    }
    return published;
  }

  private void show(String key) {
    Holding before = byKey.remove(key);
    if (before != null) {
      byName.remove(before.pod().pod(), before); // unless another pod has the name by now
    }
    @Nullable PodGrant grant = term.ledger().find(key).orElse(null);
    TrackedPod pod = term.pods().find(key);
    if (grant == null) {
      return;
    }
    if (pod == null) {
      unseen.add(key);
      return;
    }
    Holding now =
        new Holding(
            pod.latest(), grant.state().name(), grant.admitted(), profiles.aloneUntil(grant));
    byKey.put(key, now);
    byName.put(now.pod().pod(), now);
  }

  Health health(int unverified) {
    return new Health(
        unverified,
        reconciler.unmanaged(),
        reconciler.leaked(),
        reconciler.overcommitted(),
        term.cluster().unrepresented());
  }
}
