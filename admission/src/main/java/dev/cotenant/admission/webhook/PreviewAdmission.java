package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.Objectives;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.fill.plan.EngineBudgets;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.review.AdmissionResponse;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import java.util.List;

/**
 * The mutating webhook in modes Shadow and Warn: leaves pods unchanged and reports the decision
 * that enforcement would make, on the snapshot in memory.
 */
final class PreviewAdmission {
  private static final int MAX_REASONS = 3;

  private final PodDecisions decisions;

  PreviewAdmission(PodDecisions decisions) {
    this.decisions = decisions;
  }

  Conclusion preview(Colocatable pod, Policy policy, Intent intent) {
    return previewed(decisions.preview(pod, intent), policy);
  }

  /** The decision of enforcement; its warnings in mode Warn alone. */
  static Conclusion previewed(DecisionRecord made, Policy policy) {
    List<String> warnings = policy.mode() == Mode.WARN ? warnings(made) : List.<String>of();
    return new Conclusion(
        AdmissionResponse.unchanged().withWarnings(warnings), new WebhookOutcome.Previewed(), made);
  }

  private static List<String> warnings(DecisionRecord made) {
    Warnings warnings = new Warnings();
    switch (made.decision()) {
      case Decision.Admitted admitted ->
          warnings.add(
              "would be granted "
                  + GrantAnnotations.gpus(admitted)
                  + " on "
                  + GrantAnnotations.node(admitted));
      case Decision.Held held -> add(warnings, "would be held: ", held);
      case Decision.Denied denied -> add(warnings, "would never fit: ", denied);
    }
    return warnings
        .addAll(made.podRequest().workload().unknownLines())
        .addAll(EngineBudgets.advice(made.prediction().stream().toList()))
        .addAll(Objectives.withoutEffect(made.podRequest(), made.prediction().orElse(null)))
        .lines();
  }

  private static void add(Warnings warnings, String header, Decision refusal) {
    ReasonOrder.byUsefulness(refusal).stream()
        .limit(MAX_REASONS)
        .forEach(reason -> warnings.add(header + reason.code() + ": " + reason.sentence()));
  }
}
