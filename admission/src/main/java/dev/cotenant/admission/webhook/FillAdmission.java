package dev.cotenant.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.fill.FillCause;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.fill.plan.Filler;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.AdmissionResponse;
import dev.cotenant.admission.review.AdmissionResponse.Allowed;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.admission.review.JsonChanges;
import dev.cotenant.admission.review.JsonPatch;
import java.util.Map;

/**
 * The mutating webhook in modes Fill and Cap: writes the predicted bound of memory into requests
 * that state none, and leaves placement and enforcement to the owner of the dialect. Idempotent: a
 * filled pod is refilled from its original.
 */
final class FillAdmission {
  private final Filler filler;

  FillAdmission(Filler filler) {
    this.filler = filler;
  }

  /**
   * Fills in a pod's memory.
   *
   * @param pod before filling
   * @param json as it came, perhaps filled before
   */
  Conclusion fill(Colocatable pod, JsonNode json, Policy policy, Intent intent) {
    Filler.Plan plan =
        filler.plan(pod, filler.original(json, pod.pod().namespace()), policy, intent);
    JsonPatch patch = JsonChanges.between(json, plan.after());
    boolean isWritten = plan.report().result() instanceof FillReport.Written;
    boolean writes = isWritten && !patch.isEmpty();
    AdmissionResponse answer =
        new AdmissionResponse(
            new Allowed(patch),
            warn(new Warnings(), pod, plan.report()).lines(),
            writes ? Map.of("decision", "Filled") : Map.of());
    WebhookOutcome.Outcome outcome =
        writes ? new WebhookOutcome.Filled() : new WebhookOutcome.Unchanged();
    Conclusion conclusion = new Conclusion(answer, outcome, null);
    // Called again, it writes nothing, and a pod is counted once.
    return isWritten && !writes ? conclusion : conclusion.withFill(plan.report());
  }

  /** What would be filled in, with a warning in mode Warn. */
  Conclusion beside(
      Conclusion preview, Colocatable pod, JsonNode json, Policy policy, Intent intent) {
    FillReport report = filler.plan(pod, FillRecord.original(json), policy, intent).report();
    Conclusion reported = preview.withFill(report);
    if (policy.mode() != Policy.Mode.WARN) {
      return reported;
    }
    return switch (report.result()) {
      case FillReport.Written(FillRecord record, _, _, _) ->
          reported.withWarning("would be filled in: " + written(record));
      case FillReport.Left(FillCause cause, String sentence)
          when cause == FillCause.STATED && !sentence.isEmpty() ->
          reported.withWarning(sentence);
      case FillReport.Left _ -> reported;
    };
  }

  /** Warnings for the pod's creator. */
  static Warnings warn(Warnings warnings, Colocatable pod, FillReport report) {
    warnings.addAll(pod.workload().unknownLines());
    switch (report.result()) {
      case FillReport.Written(FillRecord record, _, boolean lowered, String sentence) -> {
        if (lowered) {
          warnings.add("lowered from " + record.was() + " to " + written(record));
        } else if (!sentence.isEmpty()) {
          warnings.add(sentence);
        }
      }
      case FillReport.Left(FillCause cause, String sentence) -> {
        if (cause == FillCause.STATED && !sentence.isEmpty()) {
          warnings.add(sentence);
        } else if (cause.isWarned()) {
          warnings.add("its memory is not filled in: " + sentence);
        }
      }
    }
    return warnings;
  }

  private static String written(FillRecord record) {
    return record.wrote() + ", " + record.why();
  }
}
