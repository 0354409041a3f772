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
 * The persisted state in ConfigMaps of our namespace: reservations in {@value
 * #RESERVATION_DOCUMENTS} of them, about 450 in each, and leader state in one.
 */
public final class ConfigMapState implements StateSource {
  private static final int RESERVATION_DOCUMENTS = 8;

  /** Failed claims of leader state before a term begins without it. */
  private static final int ATTEMPTS = 3;

  private final PersistedReservations reservations;
  private final LeaderStateDocument leaderState;
  private final Consumer<String> warnings;

  /** Failed claims of leader state in a row. */
  private int failures;

  /**
   * @param documents the ConfigMaps
   * @param prefix of their names
   * @param pods finds pods that are gone
   * @param warnings one line each
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
    leaderState =
        new LeaderStateDocument(new LeaderStateStore(documents, prefix + "-state", 1), warnings);
  }

  @Override
  public synchronized PersistedState claim(long term) {
    List<PersistedState.Reserved> reserved =
        reservations.claim(term).stream()
            .map(reservation -> new PersistedState.Reserved(reservation.id(), reservation.grant()))
            .toList();
    return new PersistedState(reserved, claimLeaderState(term));
  }

  /** The leader state is optional for a term; reservations are not. */
  private LeaderState claimLeaderState(long term) {
    try {
      LeaderState state = leaderState.claim(term);
      failures = 0;
      return state;
    } catch (NotClaimedException e) {
      failures++;
      if (failures < ATTEMPTS) {
        throw e;
      }
      failures = 0;
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
    leaderState.close();
  }

  public ReservationStore reservations() {
    return reservations;
  }

  /** Persists leader state; blocks. */
  public LeaderStateStore.Result write(long term, LeaderState wanted) {
    return leaderState.write(term, wanted);
  }
}
