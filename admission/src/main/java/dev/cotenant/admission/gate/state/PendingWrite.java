package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.ClusterWriter.Binding;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.review.JsonPatch;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An in-flight or retried write for a pod, at most one per pod.
 *
 * @param id matches the answer
 * @param purpose its purpose
 * @param state the state that the write was based on
 * @param before all known states at its sending
 * @param change the change
 * @param attempt from 1
 * @param retryAt time of the retry after an unknown outcome; null while the answer is outstanding
 */
public record PendingWrite(
    long id,
    Purpose purpose,
    WatchedPod state,
    List<WatchedPod> before,
    Change change,
    int attempt,
    @Nullable Instant retryAt) {

  /** A write. */
  public sealed interface Change {}

  public record Patch(JsonPatch patch) implements Change {}

  public record Bind(Binding binding) implements Change {}

  /** The purpose of a write. */
  public sealed interface Purpose {
    /** Whether its success is reported. */
    default boolean isReported() {
      return switch (this) {
        case UngateGranted _, UngateUnmanaged _ -> true;
        case BindPod bind -> bind.grant() != null;
        case Release _, Fence _, Report _ -> false;
      };
    }
  }

  /**
   * Ungates the pod with its grant.
   *
   * @param fittingSince when the scheduling cycle of the decision began
   */
  public record UngateGranted(PodGrant grant, Instant fittingSince) implements Purpose {}

  /**
   * Ungates the pod for its scheduler.
   *
   * @param nomination where its capacity is expected
   */
  public record Release(PodGrant nomination) implements Purpose {}

  /**
   * Binds the pod to the node that its scheduler chose.
   *
   * @param grant the grant of this binding; null where the pod has one before, or needs none
   * @param since when its scheduler called
   * @param outcome receives why the pod is not bound; empty where it is
   */
  public record BindPod(@Nullable PodGrant grant, Instant since, Consumer<Optional<String>> outcome)
      implements Purpose {}

  /** Ungates the pod without a grant, for this reason. */
  public record UngateUnmanaged(String why) implements Purpose {}

  /** Ensures that no earlier write can change the pod. */
  public record Fence() implements Purpose {}

  /** Writes a status report. */
  public record Report() implements Purpose {}

  public PendingWrite retried(long newId) {
    return new PendingWrite(newId, purpose, state, before, change, attempt + 1, null);
  }

  public PendingWrite retryAt(Instant when) {
    return new PendingWrite(id, purpose, state, before, change, attempt, when);
  }
}
