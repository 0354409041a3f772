package dev.cotenant.admission;

import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.review.AdmissionAnswer;
import dev.cotenant.admission.review.AdmissionAnswer.Cause;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.Reason.ReservationConflict.Difference;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The validating webhook: sees pods as they will be stored, confirms grants, and refuses what can
 * never work and what somebody else wrote in our name.
 */
final class ValidatingAdmission {
  private static final String GPU_TO_SHARE = "a GPU";

  private final PodRequestReader reader = new PodRequestReader();
  private final PodDecisions decisions;
  private final Ledger ledger;
  private final String serviceAccount;

  ValidatingAdmission(PodDecisions decisions, Ledger ledger, String serviceAccount) {
    this.decisions = decisions;
    this.ledger = ledger;
    this.serviceAccount = serviceAccount;
  }

  Conclusion answer(AdmissionRequest request) {
    return switch (request.operation()) {
      case CREATE -> create(request, new PodDocument(Objects.requireNonNull(request.object())));
      case UPDATE -> update(request);
      case DELETE, CONNECT -> Conclusion.untouched();
    };
  }

  private Conclusion create(AdmissionRequest request, PodDocument document) {
    Map<String, String> written = written(document);
    if (!request.isAboutPod()) {
      // The annotations of a Binding end up on the pod, so a subresource is no way around.
      return written.isEmpty() || isOurs(request)
          ? Conclusion.untouched()
          : forged(written.keySet());
    }
    PodRequest asked = reader.read(Objects.requireNonNull(request.object()), request.namespace());
    if (asked instanceof PodRequest.Invalid(var pod, List<String> problems)) {
      return Conclusion.refused(Cause.INVALID, RefusalMessage.invalid(pod, problems));
    }
    if (!written.isEmpty()) {
      return confirm(request, new Seen(asked, document, written));
    }
    return asked instanceof Colocatable pod
        ? missed(pod, request.intent())
        : Conclusion.untouched();
  }

  /** A pod with annotations that only we may write. */
  private record Seen(PodRequest asked, PodDocument document, Map<String, String> written) {}

  /** The annotations must be those of a grant, and the grant this pod's as it is. */
  private Conclusion confirm(AdmissionRequest request, Seen pod) {
    Map<String, String> written = pod.written();
    String token = written.getOrDefault(CotenantAnnotations.TOKEN, "");
    if (request.intent() == Intent.DRY_RUN) {
      return token.equals(ImmediateAdmission.DRY_RUN_TOKEN)
          ? Conclusion.untouched()
          : forged(written.keySet());
    }
    @Nullable LedgerEntry entry = ledger.find(token).orElse(null);
    if (entry == null || !written.equals(GrantAnnotations.of(token, entry.admitted()))) {
      return forged(written.keySet());
    }
    PodIdentity identity = pod.document().identity(request.namespace());
    if (!(pod.asked() instanceof Colocatable asked)) {
      Difference nothing = new Difference("request", GPU_TO_SHARE, "none or opted out");
      return conflict(identity, List.of(nothing));
    }
    String uid = Objects.requireNonNullElse(pod.document().uid(), "");
    return switch (ledger.bind(token, asked, uid)) {
      case Ledger.Confirmed _ ->
          new Conclusion(AdmissionAnswer.untouched(), new WebhookAnswer.Confirmed(), null);
      case Ledger.Conflict(var differences) -> conflict(identity, differences);
      case Ledger.NoGrant _ -> forged(written.keySet());
    };
  }

  /**
   * Somebody changed the pod after it was granted room; what it asks for now was not decided on.
   */
  private static Conclusion conflict(PodIdentity pod, List<Difference> differences) {
    Reason reason = new Reason.ReservationConflict(differences);
    AdmissionAnswer answer =
        AdmissionAnswer.refused(Cause.FORBIDDEN, RefusalMessage.conflict(pod, reason))
            .withAudit(Map.of("decision", "Denied", "reason", reason.code()));
    return new Conclusion(answer, new WebhookAnswer.Refused(), null);
  }

  /** The mutating webhook was not reached: let the pod through unless it can never fit. */
  private Conclusion missed(Colocatable pod, Intent intent) {
    DecisionRecord preview = decisions.preview(pod, intent);
    if (preview.decision() instanceof Decision.Denied(var reasons)) {
      return ImmediateAdmission.denied(preview, reasons);
    }
    List<String> warnings =
        Warnings.of("the pod was not decided on (mutating webhook not reached); it runs unmanaged");
    return new Conclusion(
        AdmissionAnswer.untouched().withWarnings(warnings), new WebhookAnswer.Missed(), null);
  }

  private Conclusion update(AdmissionRequest request) {
    PodDocument pod = new PodDocument(Objects.requireNonNull(request.object()));
    Map<String, String> before =
        written(new PodDocument(Objects.requireNonNull(request.oldObject())));
    Map<String, String> after = written(pod);
    if (!before.equals(after) && !isOurs(request)) {
      return changed(before, after);
    }
    boolean ended = request.isAboutPodStatus() && pod.hasFinished();
    return ended && request.intent() == Intent.REAL
        ? ImmediateAdmission.ended(ledger, pod, request.namespace())
        : Conclusion.untouched();
  }

  private Conclusion changed(Map<String, String> before, Map<String, String> after) {
    Map<String, String> changed = new TreeMap<>(before);
    changed.putAll(after);
    changed
        .entrySet()
        .removeIf(entry -> Objects.equals(before.get(entry.getKey()), after.get(entry.getKey())));
    return refused("only " + serviceAccount + " may change " + String.join(", ", changed.keySet()));
  }

  private static Conclusion forged(Collection<String> names) {
    return refused(
        "this pod has no grant with the given "
            + String.join(", ", names)
            + "; remove them, cotenant writes its own");
  }

  private static Conclusion refused(String why) {
    return Conclusion.refused(Cause.FORBIDDEN, "cotenant: " + why + ".");
  }

  private boolean isOurs(AdmissionRequest request) {
    return request.username().equals(serviceAccount);
  }

  /** The annotations that only we may write, by name. */
  private static Map<String, String> written(PodDocument pod) {
    Map<String, String> written = new TreeMap<>(pod.annotations());
    written.keySet().retainAll(CotenantAnnotations.WRITTEN);
    return written;
  }
}
