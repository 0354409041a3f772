package dev.cotenant.admission.review;

import java.util.List;
import java.util.Map;

/**
 * The answer to the API server.
 *
 * @param verdict allowed or refused
 * @param warnings for the sender, one line each
 * @param audit annotations of the audit event
 */
public record AdmissionAnswer(Verdict verdict, List<String> warnings, Map<String, String> audit) {
  public AdmissionAnswer {
    warnings = List.copyOf(warnings);
    audit = Map.copyOf(audit);
  }

  public sealed interface Verdict {}

  /** Allowed, with this patch. */
  public record Allowed(JsonPatch patch) implements Verdict {}

  public record Refused(Cause cause, String message) implements Verdict {}

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
    return new AdmissionAnswer(verdict, other, audit);
  }

  public AdmissionAnswer withAudit(Map<String, String> other) {
    return new AdmissionAnswer(verdict, warnings, other);
  }
}
