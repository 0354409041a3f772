package dev.cotenant.admission.state;

import dev.cotenant.admission.ledger.PodGrant;
import java.util.List;

/**
 * The state of earlier leaders, beside the annotations of pods.
 *
 * @param reserved reservations
 * @param state queue positions and out-of-memory failures
 */
public record PersistedState(List<Reserved> reserved, LeaderState state) {
  public static final PersistedState NOTHING = new PersistedState(List.of(), LeaderState.NONE);

  public PersistedState {
    reserved = List.copyOf(reserved);
  }

  /**
   * A reservation.
   *
   * @param admissionId its admission id
   * @param grant its grant; the key is the uid of the pod that took it, else the admission id
   */
  public record Reserved(String admissionId, PodGrant grant) {}
}
