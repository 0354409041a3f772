package dev.cotenant.admission.gate;

import dev.cotenant.admission.AdmissionListener;
import dev.cotenant.admission.AdmissionPorts;
import dev.cotenant.admission.DecisionRecord;
import dev.cotenant.admission.PodDecisions;
import dev.cotenant.admission.WebhookAnswer;
import dev.cotenant.admission.kept.Documents;
import dev.cotenant.admission.kept.Shelf;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.reservation.KeptReservations;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.reservation.StoreFailedException;
import dev.cotenant.admission.room.NotLeadingException;
import java.time.Duration;
import java.util.function.Supplier;

/** What of a process answers callers, and what it keeps for the next leader. */
final class Desk implements AdmissionListener {
  final Reservations reservations;
  private final KeptReservations kept;
  private final KeptNotes notes;

  /** Documents as a process sees them. */
  record Seen(Documents reservations, Documents notes) {}

  /** What all processes share. */
  record Shared(
      FakeApiServer server, GatePorts ports, Policies policies, Supplier<String> tokens) {}

  Desk(Replica replica, Seen documents, Shared shared) {
    GatePorts ports = shared.ports();
    kept =
        new KeptReservations(
            new Shelf(documents.reservations(), "reservations", 2),
            pod -> !shared.server().pods.containsKey(pod.uid()),
            ports.clock(),
            _ -> {});
    notes = new KeptNotes(new Shelf(documents.notes(), "notes", 1), _ -> {});
    replica.keeper = notes::write;
    PodDecisions decisions =
        new PodDecisions(
            new AdmissionPorts(
                ports.readings(),
                ports.predictor(),
                ports.decider(),
                this,
                ports.clock(),
                shared.tokens()),
            shared.policies(),
            new Ledger(ports.clock(), Duration.ofMinutes(2)));
    reservations =
        new Reservations(
            decisions,
            new DirectRoom(replica.controller),
            new Reservations.Keeping(kept, ports.clock(), shared.tokens()));
  }

  /** Takes over what earlier leaders kept. */
  Kept claim(long term) {
    Notes noted = notes.claim(term);
    return new Kept(
        kept.claim(term).stream().map(one -> new Kept.Reserved(one.id(), one.grant())).toList(),
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

  @Override
  public void answered(WebhookAnswer answer) {}

  @Override
  public void decided(DecisionRecord decision) {}
}
