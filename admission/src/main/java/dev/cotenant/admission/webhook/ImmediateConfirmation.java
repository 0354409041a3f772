package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.AdmissionResponse;
import dev.cotenant.admission.review.AdmissionResponse.Cause;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.Reason.GrantConflict.Difference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The validating webhook in mode Immediate: confirms grants, and decides about pods that the
 * mutating webhook did not see.
 */
final class ImmediateConfirmation {
  private static final String GPU_TO_SHARE = "a GPU";

  private final PodDecisions decisions;
  private final Ledger ledger;

  ImmediateConfirmation(PodDecisions decisions, Ledger ledger) {
    this.decisions = decisions;
    this.ledger = ledger;
  }

  Conclusion create(AdmissionRequest request, PodRequest podRequest, PodDocument document) {
    Map<String, String> written = Guard.written(document);
    if (!written.isEmpty()) {
      return confirm(request, new Seen(podRequest, document, written));
    }
    return podRequest instanceof Colocatable pod
        ? unreached(pod, request.intent())
        : Conclusion.unchanged();
  }

  /** A pod with annotations that only Cotenant may write. */
  private record Seen(PodRequest podRequest, PodDocument document, Map<String, String> written) {}

  /** Binds the grant whose annotations the pod has. */
  private Conclusion confirm(AdmissionRequest request, Seen pod) {
    Map<String, String> written = pod.written();
    String admissionId = written.getOrDefault(CotenantAnnotations.ADMISSION_ID, "");
    if (request.intent() == Intent.DRY_RUN) {
      return admissionId.equals(ImmediateAdmission.DRY_RUN_ID)
          ? Conclusion.unchanged()
          : Guard.forged(written.keySet());
    }
    @Nullable LedgerEntry entry = ledger.find(admissionId).orElse(null);
    if (entry == null || !written.equals(GrantAnnotations.of(admissionId, entry.admitted()))) {
      return Guard.forged(written.keySet());
    }
    PodIdentity identity = pod.document().identity(request.namespace());
    if (!(pod.podRequest() instanceof Colocatable colocatable)) {
      Difference nothing = new Difference("request", GPU_TO_SHARE, "absent or opted out");
      return conflict(identity, List.of(nothing));
    }
    String uid = Objects.requireNonNullElse(pod.document().uid(), "");
    return switch (ledger.bind(admissionId, colocatable, uid)) {
      case Ledger.Confirmed _ ->
          new Conclusion(AdmissionResponse.unchanged(), new WebhookOutcome.Confirmed(), null);
      case Ledger.Conflict(var differences) -> conflict(identity, differences);
      case Ledger.NoGrant _ -> Guard.forged(written.keySet());
    };
  }

  /** The pod was changed after its grant; its present request was not decided on. */
  private static Conclusion conflict(PodIdentity pod, List<Difference> differences) {
    Reason reason = new Reason.GrantConflict(differences);
    AdmissionResponse answer =
        AdmissionResponse.refused(Cause.FORBIDDEN, RefusalMessage.conflict(pod, reason))
            .withAudit(Map.of("decision", "Denied", "reason", reason.code()));
    return new Conclusion(answer, new WebhookOutcome.Refused(), null);
  }

  /** The mutating webhook was not reached: the pod is admitted unless it can never fit. */
  private Conclusion unreached(Colocatable pod, Intent intent) {
    DecisionRecord preview = decisions.preview(pod, intent);
    return preview.decision() instanceof Decision.Denied(var reasons)
        ? ImmediateAdmission.denied(preview, reasons)
        : Conclusion.unreached("decided on");
  }
}
