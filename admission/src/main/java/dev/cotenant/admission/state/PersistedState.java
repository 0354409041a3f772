package dev.cotenant.admission.state;

import dev.cotenant.admission.ledger.PodGrant;
import java.util.List;

/**
 * What earlier leaders left for a new term beside the annotations of pods.
 *
 * @param reserved capacity that was granted to others than held pods
 * @param notes of the queue and of pods that ran out of memory
 */
public record PersistedState(List<Reserved> reserved, LeaderState notes) {
  /** Nothing. */
  public static final PersistedState NOTHING = new PersistedState(List.of(), LeaderState.NONE);

  public PersistedState {
    reserved = List.copyOf(reserved);
  }

  /**
   * Capacity that was reserved.
   *
   * @param token under which it stands
   * @param grant with the pod's uid for a key where a pod has taken it, else with the token
   */
  public record Reserved(String token, PodGrant grant) {}
}
