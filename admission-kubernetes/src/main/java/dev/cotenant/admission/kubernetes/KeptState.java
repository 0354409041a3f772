package dev.cotenant.admission.kubernetes;

import dev.cotenant.admission.gate.ClusterWriter.Written;
import dev.cotenant.admission.gate.Kept;
import dev.cotenant.admission.gate.KeptNotes;
import dev.cotenant.admission.gate.Notes;
import dev.cotenant.admission.kept.Documents;
import dev.cotenant.admission.kept.NotClaimedException;
import dev.cotenant.admission.kept.Shelf;
import dev.cotenant.admission.reservation.KeptReservations;
import dev.cotenant.admission.reservation.ReservationStore;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/**
 * All that outlives a leader in ConfigMaps of its namespace: reservations on {@value
 * #RESERVATION_DOCUMENTS} of them, about 450 on each, and notes on one.
 */
public final class KeptState implements KeptSource {
  private static final int RESERVATION_DOCUMENTS = 8;

  /** How often notes are tried to be claimed before a term begins without them. */
  private static final int ATTEMPTS = 3;

  private final KeptReservations reservations;
  private final KeptNotes notes;
  private final Consumer<String> warnings;

  /** How often in a row notes could not be claimed that reservations could be claimed without. */
  private int failed;

  /**
   * @param documents where
   * @param prefix of the names of all documents
   * @param pods tells which pods are gone
   * @param warnings takes one line each
   */
  public KeptState(Documents documents, String prefix, PodLookup pods, Consumer<String> warnings) {
    this.warnings = warnings;
    reservations =
        new KeptReservations(
            new Shelf(documents, prefix + "-reservations", RESERVATION_DOCUMENTS),
            pods::isGone,
            InstantSource.system(),
            warnings);
    notes = new KeptNotes(new Shelf(documents, prefix + "-notes", 1), warnings);
  }

  @Override
  public synchronized Kept claim(long term) {
    List<Kept.Reserved> reserved =
        reservations.claim(term).stream()
            .map(one -> new Kept.Reserved(one.id(), one.grant()))
            .toList();
    return new Kept(reserved, noted(term));
  }

  /** Without notes pods are decided on nevertheless; without reservations they must not be. */
  private Notes noted(long term) {
    try {
      Notes noted = notes.claim(term);
      failed = 0;
      return noted;
    } catch (NotClaimedException e) {
      failed++;
      if (failed < ATTEMPTS) {
        throw e;
      }
      failed = 0;
      warnings.accept(
          "Term "
              + term
              + " begins without the notes of earlier leaders, and nothing is noted in it: "
              + e.getMessage());
      return Notes.NONE;
    }
  }

  @Override
  public void close() {
    reservations.close();
    notes.close();
  }

  /** For whoever reserves. */
  public ReservationStore reservations() {
    return reservations;
  }

  /** Keeps notes; waits for that. */
  Written write(long term, Notes wanted) {
    return notes.write(term, wanted);
  }
}
