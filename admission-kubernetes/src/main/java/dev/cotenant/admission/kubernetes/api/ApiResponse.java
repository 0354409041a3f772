package dev.cotenant.admission.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the API server.
 *
 * @param code of HTTP
 * @param body the whole of it
 * @param retryAfter the pause that the server requests; null without one
 */
public record ApiResponse(int code, String body, @Nullable Duration retryAfter) {
  public static final int OK = 200;
  static final int MULTIPLE_CHOICES = 300;
  static final int UNAUTHORIZED = 401;
  public static final int NOT_FOUND = 404;
  public static final int CONFLICT = 409;
  public static final int GONE = 410;
  static final int UNPROCESSABLE = 422;
  static final int TOO_MANY = 429;
  public static final int SERVER_ERROR = 500;

  private static final int MAX_MESSAGE_LENGTH = 500;

  /** The kind of the API server's own errors; a proxy's answers differ. */
  private static final String STATUS = "Status";

  /** [k8s.io/api/policy/v1, DisruptionBudgetCause]. */
  private static final String DISRUPTION_BUDGET = "DisruptionBudget";

  /** The begin of every denial of a webhook [k8s.io/apiserver, webhook/errors/statuserror.go]. */
  private static final String BY_A_WEBHOOK = "admission webhook ";

  public boolean isSuccessful() {
    return code >= OK && code < MULTIPLE_CHOICES;
  }

  public JsonNode json() {
    return Json.parse(body);
  }

  /** Its error message, on one line of bounded length. */
  public String message() {
    String message = Json.text(json(), "message");
    String line = (message == null ? body : message).replaceAll("\\s+", " ").strip();
    String cut =
        line.length() > MAX_MESSAGE_LENGTH ? line.substring(0, MAX_MESSAGE_LENGTH) + "…" : line;
    return "HTTP " + code + (cut.isEmpty() ? "" : ": " + cut);
  }

  /**
   * Whether a PodDisruptionBudget does not allow an eviction now [HTTP 429 with cause
   * DisruptionBudget]; other answers of this code throttle requests.
   */
  public boolean isBlockedByBudget() {
    if (code != TOO_MANY) {
      return false;
    }
    for (JsonNode cause : json().path("details").path("causes")) {
      if (Json.textOr(cause, "reason", "").equals(DISRUPTION_BUDGET)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a test of a JSON Patch failed [HTTP 422]. Validation and admission policies answer 422
   * as well, but with the object or the webhook.
   */
  public boolean isFailedTest() {
    JsonNode status = json();
    boolean hasCause =
        !status.path("details").path("causes").isEmpty()
            || Json.text(status.path("details"), "name") != null
            || Json.textOr(status, "message", "").startsWith(BY_A_WEBHOOK);
    return code == UNPROCESSABLE && STATUS.equals(Json.text(status, "kind")) && !hasCause;
  }
}
