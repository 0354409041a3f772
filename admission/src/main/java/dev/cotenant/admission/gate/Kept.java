package dev.cotenant.admission.gate;

import dev.cotenant.admission.ledger.PodGrant;
import java.util.List;

/**
 * What earlier leaders left for a new term beside the annotations of pods.
 *
 * @param reserved room that was granted to others than held pods
 * @param notes of the queue and of pods that ran out of memory
 */
public record Kept(List<Reserved> reserved, Notes notes) {
  /** Nothing. */
  public static final Kept NOTHING = new Kept(List.of(), Notes.NONE);

  public Kept {
    reserved = List.copyOf(reserved);
  }

  /**
   * Room that was reserved.
   *
   * @param token under which it stands
   * @param grant with the pod's uid for a key where a pod has taken it, else with the token
   */
  public record Reserved(String token, PodGrant grant) {}
}
