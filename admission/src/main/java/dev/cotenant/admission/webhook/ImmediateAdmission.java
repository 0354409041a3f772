package dev.cotenant.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.Objectives;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.fill.plan.EngineBudgets;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.patch.AdmissionPatch;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.AdmissionResponse;
import dev.cotenant.admission.review.AdmissionResponse.Allowed;
import dev.cotenant.admission.review.AdmissionResponse.Cause;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The mutating webhook in mode Immediate: decides at the creation of a pod, and releases the grant
 * of a deleted one.
 */
final class ImmediateAdmission {
  /** The admission id of a dry run, which the ledger never has. */
  static final String DRY_RUN_ID = "dry-run";

  private final PodDecisions decisions;
  private final Ledger ledger;
  private final Supplier<String> ids;

  ImmediateAdmission(PodDecisions decisions, Ledger ledger, Supplier<String> ids) {
    this.decisions = decisions;
    this.ledger = ledger;
    this.ids = ids;
  }

  /** Grants a pod capacity or refuses it. */
  Conclusion decide(Colocatable pod, PodDocument document, Intent intent) {
    String present = document.annotations().getOrDefault(CotenantAnnotations.ADMISSION_ID, "");
    @Nullable LedgerEntry granted = ledger.allocatedFor(present, pod.pod()).orElse(null);
    if (granted == null) {
      return decideNewly(pod, document, intent);
    }
    if (granted.differencesOf(pod).isEmpty()) {
      return Conclusion.unchanged();
    }
    // Another webhook changed the pod: its grant is released, and it is decided on anew.
    if (intent == Intent.REAL) {
      ledger.releaseAllocated(present, pod.pod());
    }
    return decideNewly(granted.ownRequest(pod), document, intent);
  }

  private Conclusion decideNewly(Colocatable pod, PodDocument document, Intent intent) {
    return switch (intent) {
      case DRY_RUN ->
          conclude(decisions.preview(pod, intent), DRY_RUN_ID, new Subject(pod, document));
      case REAL -> {
        String admissionId = ids.get();
        yield conclude(
            decisions.decideOnReview(pod, admissionId), admissionId, new Subject(pod, document));
      }
    };
  }

  private record Subject(Colocatable pod, PodDocument document) {}

  private static Conclusion conclude(DecisionRecord made, String admissionId, Subject subject) {
    return switch (made.decision()) {
      case Decision.Admitted admitted -> granted(made, admitted, admissionId, subject);
      case Decision.Held(List<Reason> reasons) ->
          refused(made, RefusalMessage.held(made.pod(), reasons));
      case Decision.Denied(List<Reason> reasons) -> denied(made, reasons);
    };
  }

  /** A pod that can never fit. */
  static Conclusion denied(DecisionRecord made, List<Reason> reasons) {
    return refused(made, RefusalMessage.denied(made.pod(), reasons));
  }

  /** A pod whose model must be registered and is not. */
  static Conclusion refusedForModel(DecisionRecord made, Reason.ModelUnknown unknown) {
    return refused(made, RefusalMessage.modelUnknown(made.pod(), unknown));
  }

  private static Conclusion granted(
      DecisionRecord made, Decision.Admitted admitted, String admissionId, Subject subject) {
    Map<String, String> annotations = GrantAnnotations.of(admissionId, admitted);
    String node = GrantAnnotations.node(admitted);
    AdmissionResponse answer =
        new AdmissionResponse(
            new Allowed(
                new AdmissionPatch(subject.document())
                    .annotate(annotations)
                    .select(node)
                    .toPatch()),
            warnings(made, subject.pod(), node),
            Map.of(
                "decision", GrantAnnotations.decision(admitted),
                "gpu", GrantAnnotations.gpus(admitted),
                "reason", GrantAnnotations.reason(admitted)));
    return new Conclusion(answer, new WebhookOutcome.Granted(), made);
  }

  private static Conclusion refused(DecisionRecord made, String message) {
    String codes =
        ReasonOrder.byUsefulness(made.decision()).stream()
            .map(Reason::code)
            .distinct()
            .collect(Collectors.joining(","));
    AdmissionResponse answer =
        AdmissionResponse.refused(Cause.FORBIDDEN, message)
            .withAudit(Map.of("decision", made.decision().result(), "reason", codes));
    return new Conclusion(answer, new WebhookOutcome.Refused(), made);
  }

  private static List<String> warnings(DecisionRecord made, Colocatable pod, String node) {
    Warnings warnings = new Warnings();
    warnings.addAll(pod.workload().unknownLines());
    NodeConstraints nodes = pod.nodes();
    if (!nodes.unchecked().isEmpty()) {
      warnings.add(
          "not checked against node " + node + ": " + String.join(", ", nodes.unchecked()));
    }
    warnings.addAll(Objectives.withoutEffect(pod, made.prediction().orElse(null)));
    made.prediction().ifPresent(prediction -> warnings.addAll(prediction.warnings()));
    warnings.addAll(EngineBudgets.advice(made.prediction().stream().toList()));
    return warnings.lines();
  }

  /** Releases the grant of a pod that its deletion ends. */
  Conclusion delete(AdmissionRequest request, JsonNode json) {
    PodDocument pod = new PodDocument(json);
    boolean ends = pod.endsWhenDeletedWithin(request.gracePeriodSeconds());
    return ends && request.intent() == Intent.REAL
        ? ended(ledger, pod, request.namespace())
        : Conclusion.unchanged();
  }

  /** Releases the grant of a pod that has ended. */
  static Conclusion ended(Ledger ledger, PodDocument pod, String namespace) {
    PodIdentity identity = pod.identity(namespace);
    String admissionId = pod.annotations().getOrDefault(CotenantAnnotations.ADMISSION_ID, "");
    boolean neverConfirmed = ledger.releaseAllocated(admissionId, identity);
    boolean released =
        ledger.releaseEnded(identity, Objects.requireNonNullElse(pod.uid(), "")) || neverConfirmed;
    return released
        ? new Conclusion(AdmissionResponse.unchanged(), new WebhookOutcome.Released(), null)
        : Conclusion.unchanged();
  }
}
