package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * A problem as the API object Status of Kubernetes, which kubectl prints.
 *
 * @param message one line for people: what is wrong and what to do
 * @param reason Kubernetes' word for the HTTP status; empty where it has none
 * @param code the HTTP status
 */
record StatusView(
    @JsonProperty("kind") String kind,
    @JsonProperty("apiVersion") String version,
    @JsonProperty("status") String status,
    @JsonProperty("message") String message,
    @JsonProperty("reason") String reason,
    @JsonProperty("code") int code) {

  /** A problem, and when to try again where that is known. */
  static StatusView of(ProblemView problem, @Nullable String retrySeconds) {
    return new StatusView(
        "Status",
        "v1",
        "Failure",
        problem.detail()
            + (problem.errorId() == null ? "" : " " + problem.errorId())
            + (retrySeconds == null ? "" : " Try again in " + retrySeconds + " s."),
        reason(problem.status()),
        problem.status());
  }

  private static String reason(int status) {
    return switch (status) {
      case 400, 422 -> "BadRequest";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "NotFound";
      case 503 -> "ServiceUnavailable";
      default -> "";
    };
  }
}
