package dev.cotenant.admission.kubernetes.state;

import dev.cotenant.admission.kubernetes.read.PodLookup;
import dev.cotenant.admission.reservation.PersistedReservations;
import dev.cotenant.admission.reservation.ReservationStore;
import dev.cotenant.admission.state.Documents;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderStateDocument;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.admission.state.NotClaimedException;
import dev.cotenant.admission.state.PersistedState;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/**
 * All that outlives a leader in ConfigMaps of its namespace: reservations on {@value
 * #RESERVATION_DOCUMENTS} of them, about 450 on each, and notes on one.
 */
public final class ConfigMapState implements StateSource {
  private static final int RESERVATION_DOCUMENTS = 8;

  /** How often notes are tried to be claimed before a term begins without them. */
  private static final int ATTEMPTS = 3;

  private final PersistedReservations reservations;
  private final LeaderStateDocument notes;
  private final Consumer<String> warnings;

  /** How often in a row notes could not be claimed that reservations could be claimed without. */
  private int failed;

  /**
   * @param documents where
   * @param prefix of the names of all documents
   * @param pods tells which pods are gone
   * @param warnings takes one line each
   */
  public ConfigMapState(
      Documents documents, String prefix, PodLookup pods, Consumer<String> warnings) {
    this.warnings = warnings;
    reservations =
        new PersistedReservations(
            new LeaderStateStore(documents, prefix + "-reservations", RESERVATION_DOCUMENTS),
            pods::isGone,
            InstantSource.system(),
            warnings);
    notes =
        new LeaderStateDocument(new LeaderStateStore(documents, prefix + "-state", 1), warnings);
  }

  @Override
  public synchronized PersistedState claim(long term) {
    List<PersistedState.Reserved> reserved =
        reservations.claim(term).stream()
            .map(one -> new PersistedState.Reserved(one.id(), one.grant()))
            .toList();
    return new PersistedState(reserved, noted(term));
  }

  /** Without notes pods are decided on nevertheless; without reservations they must not be. */
  private LeaderState noted(long term) {
    try {
      LeaderState noted = notes.claim(term);
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
              + " begins without the state of earlier leaders and persists none: "
              + e.getMessage());
      return LeaderState.NONE;
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
  public LeaderStateStore.Result write(long term, LeaderState wanted) {
    return notes.write(term, wanted);
  }
}
