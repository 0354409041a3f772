package dev.cotenant.service.access;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A problem as the API object Status of Kubernetes, the only form that {@code kubectl get --raw}
 * prints: for requests with the query parameter {@value #PARAMETER}.
 *
 * @param message one line for people: cause and remedy
 * @param reason Kubernetes' word for the HTTP status; empty where it has none
 * @param code the HTTP status
 */
public record StatusView(
    @JsonProperty("kind") String kind,
    @JsonProperty("apiVersion") String version,
    @JsonProperty("status") String status,
    @JsonProperty("message") String message,
    @JsonProperty("reason") String reason,
    @JsonProperty("code") int code) {

  /** The parameter that selects text or JSON as kubectl reads it. */
  public static final String PARAMETER = "output";

  private static final Pattern WANTED = Pattern.compile("(?:^|&)" + PARAMETER + "=");

  /** Whether a request has the parameter, by its raw query. */
  public static boolean isWanted(@Nullable String query) {
    return query != null && WANTED.matcher(query).find();
  }

  /** A problem, and when to try again where that is known. */
  public static StatusView of(int status, String message, @Nullable Object retrySeconds) {
    return new StatusView(
        "Status",
        "v1",
        "Failure",
        message + (retrySeconds == null ? "" : " Try again in " + retrySeconds + " s."),
        reason(status),
        status);
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
