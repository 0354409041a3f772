package dev.cotenant.admission.gate;

import dev.cotenant.admission.gate.GateView.Health;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.gate.GateView.Waiting;
import dev.cotenant.admission.gate.Pass.Place;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes what others may read of a term. */
final class Views {
  private final GatePorts ports;
  private final Term term;
  private final Rounds rounds;
  private Map<PodIdentity, Holding> granted = Map.of();
  private long grantsAt = -1;

  Views(GatePorts ports, Term term, Rounds rounds) {
    this.ports = ports;
    this.term = term;
    this.rounds = rounds;
  }

  GateView of(List<Place> queue, Instant now, int unverified) {
    List<Waiting> waiting = new ArrayList<>(queue.size());
    for (Place place : queue) {
      if (place.pod().isHeld()) {
        waiting.add(waiting(place, waiting.size() + 1, now));
      }
    }
    return new GateView(
        term.number, now, waiting, granted(), term.occupancy.snapshot(), health(unverified));
  }

  private Waiting waiting(Place place, int rank, Instant now) {
    TrackedPod pod = place.pod();
    Policy policy = ports.policies().get().of(place.state().pod().namespace());
    @Nullable Instant end = Deciding.patienceEnds(policy, pod, now);
    return new Waiting(
        place.state(),
        rank,
        place.state().life().createdAt(),
        end == null ? null : Duration.between(now, end),
        pod.request,
        pod.decision());
  }

  private Map<PodIdentity, Holding> granted() {
    if (grantsAt != term.grants.changes()) {
      grantsAt = term.grants.changes();
      Map<PodIdentity, Holding> all = new HashMap<>();
      for (PodGrant grant : term.grants.all()) {
        TrackedPod pod = term.find(grant.key());
        if (pod != null) {
          all.put(grant.pod(), new Holding(pod.latest(), grant.state().word(), grant.admitted()));
        }
      }
      granted = Map.copyOf(all);
    }
    return granted;
  }

  Health health(int unverified) {
    return new Health(
        unverified,
        rounds.missed(),
        rounds.leaked(),
        rounds.overcommitted(),
        term.inventory.unrepresented());
  }
}
