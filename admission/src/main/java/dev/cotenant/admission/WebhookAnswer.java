package dev.cotenant.admission;

import dev.cotenant.admission.review.Intent;
import dev.cotenant.admission.review.Operation;
import org.jspecify.annotations.Nullable;

/**
 * What became of one review.
 *
 * @param webhook which webhook was asked
 * @param operation of the request; null where it could not be read
 * @param intent whether it was a dry run
 * @param outcome what became of it
 */
public record WebhookAnswer(
    Webhook webhook, @Nullable Operation operation, Intent intent, Outcome outcome) {

  /** Which webhook was asked. */
  public enum Webhook {
    MUTATE,
    VALIDATE
  }

  /** What became of a review. All but {@link Refused} let the request go on. */
  public sealed interface Outcome {}

  /** Not ours, or nothing to do. */
  public record Untouched() implements Outcome {}

  /** The pod is held by our gate until it is given room. */
  public record Gated() implements Outcome {}

  /** The pod was left alone; what would have been decided is in the decisions. */
  public record Previewed() implements Outcome {}

  /**
   * The pod asks for a GPU and was left alone all the same.
   *
   * @param cause one of few, kebab-case
   */
  public record LeftAlone(String cause) implements Outcome {}

  /** The pod was given room. */
  public record Granted() implements Outcome {}

  /** The pod's grant was confirmed. */
  public record Confirmed() implements Outcome {}

  /** A deleted pod gave its room back. */
  public record Released() implements Outcome {}

  /** A pod that should have been decided on and was not: the mutating webhook was not reached. */
  public record Missed() implements Outcome {}

  /** The request was refused. */
  public record Refused() implements Outcome {}

  /**
   * Let through unread.
   *
   * @param code what was wrong with the review or pod, kebab-case
   */
  public record FailedOpen(String code, String message) implements Outcome {}

  /** Let through because of a defect of ours. */
  public record Crashed(RuntimeException defect) implements Outcome {}
}
