package dev.cotenant.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.policy.Policy.UnknownModels;
import dev.cotenant.admission.review.AdmissionAnswer.Cause;
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** The mutating webhook: what it does with a pod depends on the mode of its namespace's policy. */
final class MutatingAdmission {
  private final PodRequestReader reader = new PodRequestReader();
  private final Policies policies;
  private final PodDecisions decisions;
  private final ImmediateAdmission immediate;
  private final EnforceAdmission enforce;
  private final PreviewAdmission preview;

  MutatingAdmission(
      Policies policies, PodDecisions decisions, Ledger ledger, Supplier<String> tokens) {
    this.policies = policies;
    this.decisions = decisions;
    immediate = new ImmediateAdmission(decisions, ledger, tokens);
    enforce = new EnforceAdmission(tokens);
    preview = new PreviewAdmission(decisions);
  }

  Conclusion answer(AdmissionRequest request) {
    if (!request.isAboutPod()) {
      return Conclusion.untouched();
    }
    return switch (request.operation()) {
      case CREATE -> create(request, Objects.requireNonNull(request.object(), "object"));
      case DELETE -> immediate.delete(request, Objects.requireNonNull(request.oldObject()));
      case UPDATE, CONNECT -> Conclusion.untouched();
    };
  }

  private Conclusion create(AdmissionRequest request, JsonNode json) {
    Policy policy = policies.of(request.namespace());
    if (policy.mode() == Mode.OFF) {
      return Conclusion.untouched();
    }
    return switch (reader.read(json, request.namespace())) {
      case PodRequest.NoGpu _ -> Conclusion.untouched();
      case PodRequest.OptedOut _ -> Conclusion.untouched();
      case PodRequest.MigInstance(String container, String resource) ->
          leftAlone(
              policy,
              LeftAlone.MIG_INSTANCE,
              container + " asks for " + resource + "; MIG instances are not shared further");
      case PodRequest.Invalid(PodIdentity pod, List<String> problems) ->
          invalid(policy, pod, problems);
      case Colocatable pod -> colocate(pod, new Asked(policy, json, request.intent()));
    };
  }

  /** What is asked beside the pod's request. */
  private record Asked(Policy policy, JsonNode json, Intent intent) {}

  private Conclusion colocate(Colocatable pod, Asked asked) {
    Policy policy = asked.policy();
    if (policy.unknownModels() != UnknownModels.EXCLUSIVE && !decisions.isModelKnown(pod)) {
      return modelUnknown(pod, asked);
    }
    return switch (policy.mode()) {
      case OFF -> Conclusion.untouched();
      case SHADOW, WARN -> preview.preview(pod, policy, asked.intent());
      case ENFORCE -> enforce.hold(pod, asked.json(), policy);
      case IMMEDIATE -> immediate.decide(pod, new PodDocument(asked.json()), asked.intent());
    };
  }

  private Conclusion modelUnknown(Colocatable pod, Asked asked) {
    Policy policy = asked.policy();
    if (policy.unknownModels() == UnknownModels.UNMANAGED) {
      String model = pod.workload().model();
      String why = model == null ? "it names no model" : "model " + model + " is not registered";
      return leftAlone(policy, LeftAlone.UNKNOWN_MODEL, why + "; it runs unmanaged");
    }
    Reason.ModelUnknown unknown = new Reason.ModelUnknown(pod.workload().model());
    DecisionRecord made = decisions.denied(pod, unknown, asked.intent());
    return isTold(policy.mode())
        ? PreviewAdmission.told(made, policy)
        : ImmediateAdmission.refusedForModel(made, unknown);
  }

  private static Conclusion invalid(Policy policy, PodIdentity pod, List<String> problems) {
    return switch (policy.mode()) {
      case OFF, SHADOW, WARN -> leftAlone(policy, LeftAlone.INVALID, problems);
      case ENFORCE, IMMEDIATE ->
          Conclusion.refused(Cause.INVALID, RefusalMessage.invalid(pod, problems));
    };
  }

  private static boolean isTold(Mode mode) {
    return mode == Mode.SHADOW || mode == Mode.WARN;
  }

  private static Conclusion leftAlone(Policy policy, String cause, String why) {
    return leftAlone(policy, cause, List.of(why));
  }

  /** Whoever creates the pod is told, unless nobody is to notice. */
  private static Conclusion leftAlone(Policy policy, String cause, List<String> why) {
    return policy.mode() == Mode.SHADOW
        ? Conclusion.leftAlone(cause)
        : Conclusion.leftAlone(cause, why);
  }
}
