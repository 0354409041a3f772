package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.review.AdmissionResponse;
import dev.cotenant.admission.review.AdmissionResponse.Cause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A webhook's result for a request.
 *
 * @param answer for the API server
 * @param outcome for the listener
 * @param decision for the listener; null without a decision
 * @param fills for the listener; empty without filling
 */
public record Conclusion(
    AdmissionResponse answer,
    WebhookOutcome.Outcome outcome,
    @Nullable DecisionRecord decision,
    List<FillReport> fills) {
  public Conclusion {
    fills = List.copyOf(fills);
  }

  /** About no fill. */
  public Conclusion(
      AdmissionResponse answer, WebhookOutcome.Outcome outcome, @Nullable DecisionRecord decision) {
    this(answer, outcome, decision, List.of());
  }

  /** Copy with a report on filling. */
  Conclusion withFill(FillReport report) {
    return withFills(List.of(report));
  }

  /** Copy with the reports on several templates. */
  Conclusion withFills(List<FillReport> reports) {
    return new Conclusion(answer, outcome, decision, reports);
  }

  /** Copy with an additional warning. */
  Conclusion withWarning(String text) {
    List<String> lines = new ArrayList<>(answer.warnings());
    lines.addAll(Warnings.of(text));
    return new Conclusion(answer.withWarnings(lines), outcome, decision, fills);
  }

  static Conclusion unchanged() {
    return new Conclusion(AdmissionResponse.unchanged(), new WebhookOutcome.Unchanged(), null);
  }

  /** The pod has GPUs and gets no decision; its creator gets these warnings. */
  static Conclusion unmanaged(UnmanagedCause cause, List<String> warnings) {
    return new Conclusion(
        AdmissionResponse.unchanged().withWarnings(new Warnings().addAll(warnings).lines()),
        new WebhookOutcome.Unmanaged(cause),
        null);
  }

  /**
   * The mutating webhook was not reached.
   *
   * @param missing the skipped step: {@code gated}
   */
  static Conclusion unreached(String missing) {
    return unmanaged(
        UnmanagedCause.WEBHOOK_NOT_REACHED,
        List.of(
            "the pod was not " + missing + " (mutating webhook not reached); it runs unmanaged"));
  }

  static Conclusion refused(Cause cause, String message) {
    return new Conclusion(
        AdmissionResponse.refused(cause, message), new WebhookOutcome.Refused(), null);
  }
}
