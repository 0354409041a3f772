package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonProperty;

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

  /** A problem, with advice at the end of its message. */
  static StatusView of(ProblemView problem, String advice) {
    return new StatusView(
        "Status",
        "v1",
        "Failure",
        problem.detail() + (problem.errorId() == null ? "" : " " + problem.errorId()) + advice,
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
