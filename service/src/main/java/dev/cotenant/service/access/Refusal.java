package dev.cotenant.service.access;

import dev.cotenant.service.access.Access.Outcome;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Refusal of a caller, identical on every port.
 *
 * @param status of HTTP
 * @param title the status in words
 * @param code stable identifier for machines
 * @param detail one line for people
 * @param retryAfterSeconds when to try again; null where that does not help
 */
public record Refusal(
    int status, String title, String code, String detail, @Nullable Long retryAfterSeconds) {
  private static final int UNAUTHORIZED = 401;

  /** API servers come back within a few seconds. */
  private static final long RETRY_SECONDS = 5;

  /** The refusal of a caller that is not known; empty where it is. */
  public static Optional<Refusal> of(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Granted _ -> Optional.empty();
      case Outcome.Refused _ ->
          Optional.of(
              new Refusal(
                  UNAUTHORIZED,
                  "Unauthorized",
                  "token-required",
                  "Callers need 'Authorization: Bearer' with a token of the cluster for this"
                      + " service's audience, the one that cotenant.rest.token sets, or one of"
                      + " cotenant.rest.tokens-file.",
                  null));
      case Outcome.Unavailable _ ->
          Optional.of(
              unavailable(
                  "tokens-unavailable",
                  "The API server, which authenticates tokens, does not respond: retry."));
      case Outcome.Limited(Duration retryAfter) ->
          Optional.of(
              new Refusal(
                  429,
                  "Too Many Requests",
                  "too-many-unknown-tokens",
                  "Too many recent requests with unknown tokens; this token was not checked:"
                      + " retry.",
                  retryAfter.toSeconds() + 1));
    };
  }

  /** The refusal of a caller without the right. */
  public static Refusal of(ForbiddenException e) {
    return new Refusal(403, "Forbidden", "forbidden", String.valueOf(e.getMessage()), null);
  }

  /** The refusal of every caller of an endpoint without a line in the table of rights. */
  public static Refusal notInTable() {
    return new Refusal(
        403,
        "Forbidden",
        "permission-not-defined",
        "No right is defined for this call, so it is refused to all callers: a defect of the"
            + " service.",
        null);
  }

  /** The refusal of a caller whose rights are unknown. */
  public static Refusal authorizationUnavailable() {
    return unavailable(
        "authorization-unavailable",
        "The API server, which authorizes calls, does not respond: retry.");
  }

  private static Refusal unavailable(String code, String detail) {
    return new Refusal(503, "Service Unavailable", code, detail, RETRY_SECONDS);
  }

  /** Whether the answer names the authentication scheme. */
  public boolean wantsAuthentication() {
    return status == UNAUTHORIZED;
  }
}
