package dev.cotenant.admission.review;

import java.util.List;
import java.util.Map;

/**
 * The answer to the API server.
 *
 * @param result allowed or refused
 * @param warnings for the sender, one line per warning
 * @param audit annotations of the audit event
 */
public record AdmissionResponse(Result result, List<String> warnings, Map<String, String> audit) {
  public AdmissionResponse {
    warnings = List.copyOf(warnings);
    audit = Map.copyOf(audit);
  }

  public sealed interface Result {}

  /** Allowed, with this patch. */
  public record Allowed(JsonPatch patch) implements Result {}

  public record Refused(Cause cause, String message) implements Result {}

  /** Why a request is refused, as an HTTP status with its Kubernetes reason. */
  public enum Cause {
    FORBIDDEN(403, "Forbidden"),
    INVALID(422, "Invalid");

    private final int code;
    private final String reason;

    Cause(int code, String reason) {
      this.code = code;
      this.reason = reason;
    }

    int code() {
      return code;
    }

    String reason() {
      return reason;
    }
  }

  /** Allowed, unchanged. */
  public static AdmissionResponse unchanged() {
    return new AdmissionResponse(new Allowed(JsonPatch.NONE), List.of(), Map.of());
  }

  public static AdmissionResponse refused(Cause cause, String message) {
    return new AdmissionResponse(new Refused(cause, message), List.of(), Map.of());
  }

  public AdmissionResponse withWarnings(List<String> other) {
    return new AdmissionResponse(result, other, audit);
  }

  public AdmissionResponse withAudit(Map<String, String> other) {
    return new AdmissionResponse(result, warnings, other);
  }
}
