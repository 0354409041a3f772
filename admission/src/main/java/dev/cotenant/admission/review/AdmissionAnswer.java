package dev.cotenant.admission.review;

import java.util.List;
import java.util.Map;

/**
 * The answer to the API server.
 *
 * @param result allowed or refused
 * @param warnings for the sender, one line each
 * @param audit annotations of the audit event
 */
public record AdmissionAnswer(Result result, List<String> warnings, Map<String, String> audit) {
  public AdmissionAnswer {
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
  public static AdmissionAnswer unchanged() {
    return new AdmissionAnswer(new Allowed(JsonPatch.NONE), List.of(), Map.of());
  }

  public static AdmissionAnswer refused(Cause cause, String message) {
    return new AdmissionAnswer(new Refused(cause, message), List.of(), Map.of());
  }

  public AdmissionAnswer withWarnings(List<String> other) {
    return new AdmissionAnswer(result, other, audit);
  }

  public AdmissionAnswer withAudit(Map<String, String> other) {
    return new AdmissionAnswer(result, warnings, other);
  }
}
