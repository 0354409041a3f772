package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.Objectives;
import dev.cotenant.admission.fill.plan.EngineBudgets;
import dev.cotenant.admission.patch.AdmissionPatch;
import dev.cotenant.admission.patch.ClaimEntries;
import dev.cotenant.admission.patch.DownwardApiVariables;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuContainer;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.NormalisedRequest;
import dev.cotenant.admission.pod.PodDocument;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.GpuAssignment;
import dev.cotenant.admission.review.AdmissionResponse;
import dev.cotenant.admission.review.AdmissionResponse.Allowed;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.domain.prediction.Prediction;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The mutating webhook in mode Enforce: adds the scheduling gate, and leaves the decision to the
 * gate controller. Stateless and idempotent.
 */
final class EnforceAdmission {
  private final PodRequestReader reader = new PodRequestReader();
  private final Supplier<String> ids;

  EnforceAdmission(Supplier<String> ids) {
    this.ids = ids;
  }

  /**
   * Adds the gate.
   *
   * @param predictions of a server of a language model; empty for other pods
   */
  Conclusion hold(
      Colocatable pod, PodDocument document, Policy policy, Collection<Prediction> predictions) {
    if (document.nodeName() != null) {
      return Conclusion.unmanaged(
          UnmanagedCause.NODE_NAMED,
          List.of("the pod names its node itself, so it cannot be gated; it runs unmanaged"));
    }
    Optional<String> whyNot = ClaimEntries.whyNot(pod, document, policy);
    if (whyNot.isPresent()) {
      return Conclusion.unmanaged(
          UnmanagedCause.NO_CLAIM, List.of(whyNot.get() + "; it runs unmanaged"));
    }
    GpuAssignment gpuAssignment = policy.gpuAssignment();
    Map<String, String> variables = DownwardApiVariables.of(gpuAssignment);
    boolean claims = gpuAssignment == GpuAssignment.DRA;
    List<GpuContainer> containers =
        variables.isEmpty() && !claims && predictions.isEmpty()
            ? List.of()
            : reader.gpuContainers(document);
    EngineBudgets.@Nullable Added budget =
        EngineBudgets.added(pod, policy, document.json(), containers, predictions).orElse(null);
    Map<String, String> annotations = annotations(pod, document, gpuAssignment);
    @Nullable String recorded =
        EngineBudgets.recorded(document.annotations(), document.json(), containers);
    @Nullable String limit = budget == null ? recorded : budget.argument();
    if (limit != null) {
      annotations.put(CotenantAnnotations.ENGINE_BUDGET, limit);
    }
    AdmissionPatch patch =
        new AdmissionPatch(document).annotate(annotations).gate().schedule(policy.schedulerName());
    if (budget != null) {
      patch.argue(budget.pointer(), budget.hasArguments(), budget.argument());
    }
    containers.forEach(
        container -> patch.refer(container, DownwardApiVariables.missing(container, variables)));
    if (claims) {
      patch.claim(ClaimEntries.name(document), ClaimEntries.resourceClaim(document), containers);
    }
    List<String> advice =
        budget == null
            ? Stream.concat(
                    EngineBudgets.tooSmall(pod, policy, predictions).stream(),
                    EngineBudgets.advice(predictions).stream())
                .toList()
            : List.of();
    return concluded(patch.toPatch(), warnings(pod, containers, policy, advice));
  }

  private static Conclusion concluded(JsonPatch patch, List<String> warnings) {
    AdmissionResponse answer =
        new AdmissionResponse(
            new Allowed(patch), warnings, patch.isEmpty() ? Map.of() : Map.of("decision", "Gated"));
    WebhookOutcome.Outcome outcome =
        patch.isEmpty() ? new WebhookOutcome.Unchanged() : new WebhookOutcome.Gated();
    return new Conclusion(answer, outcome, null);
  }

  /** Annotations in patch order. */
  private Map<String, String> annotations(
      Colocatable pod, PodDocument document, GpuAssignment gpuAssignment) {
    Map<String, String> annotations = new LinkedHashMap<>();
    String present = document.annotations().getOrDefault(CotenantAnnotations.ADMISSION_ID, "");
    annotations.put(
        CotenantAnnotations.ADMISSION_ID,
        AdmissionId.isOf(present, pod.pod()) ? present : AdmissionId.of(ids.get(), pod.pod()));
    annotations.put(CotenantAnnotations.REQUEST, NormalisedRequest.of(pod));
    annotations.putAll(DownwardApiVariables.defaults(gpuAssignment));
    return annotations;
  }

  private static List<String> warnings(
      Colocatable pod, List<GpuContainer> containers, Policy policy, List<String> advice) {
    Map<String, String> variables = DownwardApiVariables.of(policy.gpuAssignment());
    Warnings warnings = new Warnings();
    warnings.addAll(pod.workload().unknownLines());
    warnings.addAll(Objectives.withoutEffect(pod));
    warnings.addAll(advice);
    for (GpuContainer container : containers) {
      DownwardApiVariables.foreign(container, variables)
          .keySet()
          .forEach(name ->
              warnings.add(container.name() + " sets " + name + " itself; it is unchanged"));
    }
    if (pod.gpu().dialect() == GpuDialect.DRA && policy.gpuAssignment() != GpuAssignment.DRA) {
      warnings.add(
          "the ResourceClaim that the pod names is not created: GPU assignment is not dra here");
    }
    if (containers.isEmpty() && !variables.isEmpty()) {
      warnings.add("no container but sidecars requests the GPU; no container gets its uuid");
    }
    return warnings.lines();
  }
}
