package dev.cotenant.admission.review;

import java.util.List;
import java.util.Map;

/**
 * What the API server is to do.
 *
 * @param verdict whether the request goes on
 * @param warnings shown to whoever sent it, one line each
 * @param audit annotations of the audit event
 */
public record AdmissionAnswer(Verdict verdict, List<String> warnings, Map<String, String> audit) {
  public AdmissionAnswer {
    warnings = List.copyOf(warnings);
    audit = Map.copyOf(audit);
  }

  /** Whether the request goes on. */
  public sealed interface Verdict {}

  /** It goes on, changed by the patch. */
  public record Allowed(JsonPatch patch) implements Verdict {}

  /** It is refused. */
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

  /** It goes on as it is. */
  public static AdmissionAnswer unchanged() {
    return new AdmissionAnswer(new Allowed(JsonPatch.NONE), List.of(), Map.of());
  }

  /** It is refused for this. */
  public static AdmissionAnswer refused(Cause cause, String message) {
    return new AdmissionAnswer(new Refused(cause, message), List.of(), Map.of());
  }

  /** The same with other warnings. */
  public AdmissionAnswer withWarnings(List<String> other) {
    return new AdmissionAnswer(verdict, other, audit);
  }

  /** The same with other audit annotations. */
  public AdmissionAnswer withAudit(Map<String, String> other) {
    return new AdmissionAnswer(verdict, warnings, other);
  }
}
