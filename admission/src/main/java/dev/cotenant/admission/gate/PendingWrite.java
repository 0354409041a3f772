package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.review.JsonPatch;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A write about a pod that is on its way, or is to be tried again. There is at most one for a pod.
 *
 * @param id by which its answer is known
 * @param purpose what it is for
 * @param state the state that it was made for
 * @param before all states that were known when it was sent
 * @param patch what is written
 * @param attempt which one this is, from 1
 * @param retryAt when it is sent again, because nobody knows what became of it; null while an
 *     answer is waited for
 */
record PendingWrite(
    long id,
    Purpose purpose,
    WatchedPod state,
    List<WatchedPod> before,
    JsonPatch patch,
    int attempt,
    @Nullable Instant retryAt) {

  /** What a write is for. */
  sealed interface Purpose {}

  /**
   * Ungates the pod with its grant.
   *
   * @param fittingSince when the scheduling cycle of the decision began
   */
  record UngateGranted(PodGrant grant, Instant fittingSince) implements Purpose {}

  /** Ungates the pod without a grant, for this reason. */
  record UngateUnmanaged(String why) implements Purpose {}

  /** Makes sure that no earlier write can change the pod any more. */
  record Fence() implements Purpose {}

  /** Writes a status report. */
  record Report() implements Purpose {}

  PendingWrite retried(long newId) {
    return new PendingWrite(newId, purpose, state, before, patch, attempt + 1, null);
  }

  PendingWrite retryAt(Instant when) {
    return new PendingWrite(id, purpose, state, before, patch, attempt, when);
  }
}
