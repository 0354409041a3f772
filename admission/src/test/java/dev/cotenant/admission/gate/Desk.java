package dev.cotenant.admission.gate;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.reservation.PersistedReservations;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.reservation.StoreFailedException;
import dev.cotenant.admission.state.Documents;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderStateDocument;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.admission.state.PersistedState;
import java.time.Duration;
import java.util.function.Supplier;

/** What of a process answers callers, and what it keeps for the next leader. */
final class Desk {
  final Reservations reservations;
  private final PersistedReservations kept;
  private final LeaderStateDocument notes;

  /** Documents as a process sees them. */
  record Seen(Documents reservations, Documents notes) {}

  /** What all processes share. */
  record Shared(FakeApiServer server, GatePorts ports, Policies policies, Supplier<String> ids) {}

  Desk(Replica replica, Seen documents, Shared shared) {
    GatePorts ports = shared.ports();
    kept =
        new PersistedReservations(
            new LeaderStateStore(documents.reservations(), "reservations", 2),
            pod -> !shared.server().pods.containsKey(pod.uid()),
            ports.clock(),
            _ -> {});
    notes = new LeaderStateDocument(new LeaderStateStore(documents.notes(), "notes", 1), _ -> {});
    replica.saver = notes::write;
    PodDecisions decisions =
        new PodDecisions(
            new DecisionPorts(ports.readings(), ports.predictor(), ports.decider(), ports.clock()),
            shared.policies(),
            new Ledger(ports.clock(), Duration.ofMinutes(2)));
    reservations =
        new Reservations(
            decisions,
            new DirectCapacityLedger(replica.controller),
            new Reservations.Ports(kept, ports.clock(), shared.ids()));
  }

  /** Takes over what earlier leaders kept. */
  PersistedState claim(long term) {
    LeaderState noted = notes.claim(term);
    return new PersistedState(
        kept.claim(term).stream()
            .map(one -> new PersistedState.Reserved(one.id(), one.grant()))
            .toList(),
        noted);
  }

  void close() {
    kept.close();
    notes.close();
  }

  void tidy() {
    try {
      reservations.tidy();
    } catch (NotLeadingException | StoreFailedException _) {
      // The next time.
    }
  }
}
