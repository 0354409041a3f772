package dev.cotenant.admission.webhook;

import dev.cotenant.admission.review.Intent;
import dev.cotenant.admission.review.Operation;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one review, for metrics.
 *
 * @param webhook the webhook that was called
 * @param operation of the request; null where it is unreadable
 * @param intent whether it was a dry run
 * @param outcome the outcome
 */
public record WebhookOutcome(
    Webhook webhook, @Nullable Operation operation, Intent intent, Outcome outcome) {

  /** The webhooks. */
  public enum Webhook {
    MUTATE,
    VALIDATE
  }

  /** The outcome of a review. All but {@link Refused} admit the request. */
  public sealed interface Outcome {}

  /** The request is not about a pod with GPUs, or needs no change. */
  public record Unchanged() implements Outcome {}

  /** Our gate holds the pod until it has a grant. */
  public record Gated() implements Outcome {}

  /** The pod is unchanged; the decision that enforcement would make is recorded. */
  public record Previewed() implements Outcome {}

  /** Memory was written into the pod's request. */
  public record Filled() implements Outcome {}

  /** The pod has GPUs and gets no decision. */
  public record Unmanaged(UnmanagedCause cause) implements Outcome {}

  /** The pod has a grant. */
  public record Granted() implements Outcome {}

  /** The pod's grant was confirmed. */
  public record Confirmed() implements Outcome {}

  /** The capacity of a deleted pod is available again. */
  public record Released() implements Outcome {}

  /** The request was refused. */
  public record Refused() implements Outcome {}

  /**
   * Admitted unread.
   *
   * @param code of the fault of the review or pod, kebab-case
   */
  public record FailedOpen(String code, String message) implements Outcome {}

  /** Admitted after an internal defect. */
  public record Crashed(RuntimeException defect) implements Outcome {}
}
