package dev.cotenant.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.AdmissionResponse.Cause;
import dev.cotenant.admission.review.Intent;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The validating webhook: reviews pods as they will be stored, refuses invalid and oversized ones
 * and forged annotations, and confirms the grants of mode Immediate.
 */
public final class ValidatingAdmission {
  private final PodRequestReader reader = new PodRequestReader();
  private final Policies policies;
  private final Guard guard;
  private final ImmediateConfirmation immediate;
  private final EnforceConfirmation enforce;
  private final Ledger ledger;
  private final OomKillDetector oomKills;

  /**
   * @param oomKills of filled pods
   */
  public ValidatingAdmission(
      AdmissionSettings settings, PodDecisions decisions, Ledger ledger, OomKillDetector oomKills) {
    this.oomKills = oomKills;
    this.ledger = ledger;
    policies = settings.policies();
    guard = new Guard(settings.serviceAccount());
    immediate = new ImmediateConfirmation(decisions, ledger);
    enforce = new EnforceConfirmation(decisions);
  }

  public Conclusion answer(AdmissionRequest request) {
    return switch (request.operation()) {
      case CREATE -> create(request, Objects.requireNonNull(request.object()));
      case UPDATE -> update(request, Objects.requireNonNull(request.object()));
      case DELETE, CONNECT -> Conclusion.unchanged();
    };
  }

  private Conclusion create(AdmissionRequest request, JsonNode json) {
    PodDocument document = new PodDocument(json);
    if (!request.isAboutPod()) {
      // The annotations of a Binding end up on the pod, so a subresource is no way around.
      Map<String, String> written = Guard.written(document);
      return written.isEmpty() || guard.isOurs(request)
          ? Conclusion.unchanged()
          : Guard.forged(written.keySet());
    }
    Policy policy = policies.of(request.namespace());
    return policy.mode() == Mode.IMMEDIATE
        ? immediate(request, document)
        : reviewUngranted(request, document, policy);
  }

  private Conclusion immediate(AdmissionRequest request, PodDocument document) {
    PodRequest podRequest = reader.read(document, request.namespace());
    return podRequest instanceof PodRequest.Invalid(var pod, List<String> problems, _)
        ? Conclusion.refused(Cause.INVALID, RefusalMessage.invalid(pod, problems))
        : immediate.create(request, podRequest, document);
  }

  /** In the other modes, no pod has a grant at its creation. */
  private Conclusion reviewUngranted(
      AdmissionRequest request, PodDocument document, Policy policy) {
    Map<String, String> grants = Guard.grants(document);
    if (!grants.isEmpty() && !guard.isOurs(request)) {
      return Guard.forged(grants.keySet());
    }
    if (policy.mode() != Mode.ENFORCE) {
      return Conclusion.unchanged();
    }
    PodRequest podRequest = reader.read(document, request.namespace());
    return podRequest instanceof PodRequest.Invalid(var pod, List<String> problems, _)
        ? Conclusion.refused(Cause.INVALID, RefusalMessage.invalid(pod, problems))
        : enforce.create(
            podRequest, new EnforceConfirmation.Seen(document, policy, request.intent()));
  }

  private Conclusion update(AdmissionRequest request, JsonNode json) {
    @Nullable Conclusion refusal = guard.refusalOfUpdate(request);
    if (refusal != null) {
      return refusal;
    }
    PodDocument pod = new PodDocument(json);
    if (request.isAboutPod() && Guard.isGated(pod) && changesRequest(request, pod)) {
      return reader.read(pod, request.namespace())
              instanceof PodRequest.Invalid(var identity, List<String> problems, _)
          ? Conclusion.refused(Cause.INVALID, RefusalMessage.invalid(identity, problems))
          : Conclusion.unchanged();
    }
    if (request.isAboutPodStatus() && request.intent() == Intent.REAL) {
      oomKills.observe(json, request.namespace());
    }
    boolean ended = request.isAboutPodStatus() && pod.hasFinished();
    return ended && request.intent() == Intent.REAL
        ? ImmediateAdmission.ended(ledger, pod, request.namespace())
        : Conclusion.unchanged();
  }

  /** Whether the update changes the annotations that Cotenant reads. */
  private static boolean changesRequest(AdmissionRequest request, PodDocument after) {
    PodDocument before = new PodDocument(Objects.requireNonNull(request.oldObject()));
    return CotenantAnnotations.READ.stream()
        .anyMatch(
            name -> !Objects.equals(before.annotations().get(name), after.annotations().get(name)));
  }
}
