package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * A problem document [RFC 9457] of type {@code about:blank}.
 *
 * @param title the status in words
 * @param status the HTTP status
 * @param detail one line for people: cause and remedy
 * @param code stable kebab-case identifier for machines
 * @param errorId finds the entry in the log; absent unless it is a defect of the service
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProblemView(
    @JsonProperty("type") String type,
    @JsonProperty("title") String title,
    @JsonProperty("status") int status,
    @JsonProperty("detail") String detail,
    @JsonProperty("code") String code,
    @JsonProperty("error_id") @Nullable String errorId) {
  /** Media type of problem documents. */
  public static final String MEDIA_TYPE = "application/problem+json";

  private static final String NO_TYPE = "about:blank";

  public static ProblemView of(int status, String title, String code, String detail) {
    return new ProblemView(NO_TYPE, title, status, detail, code, null);
  }

  public static ProblemView ofDefect(String errorId) {
    return new ProblemView(
        NO_TYPE,
        "Internal Server Error",
        500,
        "Internal error of the service; its log has the details under this id.",
        "internal-error",
        errorId);
  }
}
