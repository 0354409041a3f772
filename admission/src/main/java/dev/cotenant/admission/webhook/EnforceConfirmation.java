package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.patch.ClaimEntries;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.UnknownModels;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The validating webhook in mode Enforce: refuses a pod that needs more memory than any GPU of the
 * cluster has, and reports pods without the gate.
 */
final class EnforceConfirmation {
  private final PodDecisions decisions;

  EnforceConfirmation(PodDecisions decisions) {
    this.decisions = decisions;
  }

  Conclusion create(PodRequest podRequest, Seen seen) {
    if (!(podRequest instanceof Colocatable pod)) {
      return Conclusion.unchanged();
    }
    String admissionId =
        seen.document().annotations().getOrDefault(CotenantAnnotations.ADMISSION_ID, "");
    boolean gated = Guard.isGated(seen.document());
    if (gated && !AdmissionId.isOf(admissionId, pod.pod())) {
      return Guard.forged(List.of(CotenantAnnotations.ADMISSION_ID));
    }
    if (isLeftUnmanaged(pod, seen)) {
      return Conclusion.unchanged();
    }
    @Nullable Reason tooLarge = decisions.whyTooLarge(pod).orElse(null);
    if (tooLarge != null) {
      return ImmediateAdmission.denied(
          decisions.denied(pod, tooLarge, seen.intent()), List.of(tooLarge));
    }
    return gated ? Conclusion.unchanged() : Conclusion.unreached("gated");
  }

  /** The pod's document and policy beside its request. */
  record Seen(PodDocument document, Policy policy, Intent intent) {}

  private boolean isUnknown(Colocatable pod) {
    ExclusiveCause.ModelUnknown unknown = decisions.whyUnknown(pod);
    return unknown != null && !unknown.isPending();
  }

  private boolean isLeftUnmanaged(Colocatable pod, Seen seen) {
    return seen.document().nodeName() != null
        || ClaimEntries.whyNot(pod, seen.document(), seen.policy()).isPresent()
        || (seen.policy().unknownModels() == UnknownModels.UNMANAGED && isUnknown(pod));
  }
}
