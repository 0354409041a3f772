package dev.cotenant.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.fill.FillOomKills;
import dev.cotenant.admission.fill.plan.Filler;
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
import dev.cotenant.admission.review.AdmissionRequest;
import dev.cotenant.admission.review.AdmissionResponse.Cause;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.EngineRun;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** The mutating webhook; the policy's mode selects the handler. */
public final class MutatingAdmission {
  private final PodRequestReader reader = new PodRequestReader();
  private final Policies policies;
  private final PodDecisions decisions;
  private final ImmediateAdmission immediate;
  private final EnforceAdmission enforce;
  private final PreviewAdmission preview;
  private final Filler filler;
  private final FillAdmission fill;
  private final TemplateAdmission templates;

  /**
   * @param kills of pods that ran out of filled memory
   */
  public MutatingAdmission(
      Policies policies,
      PodDecisions decisions,
      Ledger ledger,
      FillOomKills kills,
      Supplier<String> ids) {
    filler = new Filler(decisions, kills);
    fill = new FillAdmission(filler);
    templates = new TemplateAdmission(filler);
    this.policies = policies;
    this.decisions = decisions;
    immediate = new ImmediateAdmission(decisions, ledger, ids);
    enforce = new EnforceAdmission(ids);
    preview = new PreviewAdmission(decisions);
  }

  /**
   * A review that was read.
   *
   * @param isLong whether the rest may take longer than handing it to another thread
   */
  public record Work(boolean isLong, Supplier<Conclusion> rest) {
    public static Work done(Conclusion conclusion) {
      return new Work(false, () -> conclusion);
    }
  }

  /** Reads a review as far as it says how long its answer takes. */
  public Work begin(AdmissionRequest request) {
    Policy policy = policies.of(request.namespace());
    if (!request.isAboutPod()) {
      return new Work(policy.fills(), () -> templates.answer(request, policy));
    }
    return switch (request.operation()) {
      case CREATE -> create(request, Objects.requireNonNull(request.object(), "object"), policy);
      case DELETE ->
          new Work(
              policy.mode() == Mode.IMMEDIATE,
              () -> immediate.delete(request, Objects.requireNonNull(request.oldObject())));
      case UPDATE, CONNECT -> Work.done(Conclusion.unchanged());
    };
  }

  private Work create(AdmissionRequest request, JsonNode json, Policy policy) {
    if (policy.mode() == Mode.OFF) {
      return Work.done(Conclusion.unchanged());
    }
    PodDocument document =
        new PodDocument(policy.fills() ? filler.original(json, request.namespace()) : json);
    return switch (reader.read(document, request.namespace())) {
      case PodRequest.NoGpu _ -> Work.done(Conclusion.unchanged());
      case PodRequest.OptedOut _ -> Work.done(Conclusion.unchanged());
      case PodRequest.MigInstance(String container, String resource, _) ->
          Work.done(
              unmanaged(
                  policy,
                  UnmanagedCause.MIG_INSTANCE,
                  List.of(
                      container
                          + " requests "
                          + resource
                          + "; MIG instances are not shared further")));
      case PodRequest.Invalid(PodIdentity pod, List<String> problems, _) ->
          Work.done(invalid(policy, pod, problems));
      case Colocatable pod -> {
        Context context = new Context(policy, json, document, request.intent());
        yield new Work(isLong(pod, policy), () -> colocate(pod, context));
      }
    };
  }

  /** Decisions lock the ledger or look at all GPUs; objectives are searched for. */
  private boolean isLong(Colocatable pod, Policy policy) {
    return switch (policy.mode()) {
      case SHADOW, WARN, IMMEDIATE -> true;
      case FILL, CAP ->
          pod.workload().sloLatency() != null
              || filler.isOverBudget(pod.pod().namespace(), policy)
              || !decisions.isPrepared(pod);
      case ENFORCE -> needsModel(policy) && !decisions.isPrepared(pod);
      case OFF -> false;
    };
  }

  private static boolean needsModel(Policy policy) {
    return policy.unknownModels() != UnknownModels.EXCLUSIVE;
  }

  /**
   * The review beside the pod's request.
   *
   * @param json the pod under review
   * @param document the pod without filled values
   */
  private record Context(Policy policy, JsonNode json, PodDocument document, Intent intent) {}

  private Conclusion fill(Colocatable pod, Context context) {
    Policy policy = context.policy();
    JsonNode json = context.json();
    Intent intent = context.intent();
    if (filler.isOverBudget(pod.pod().namespace(), policy)) {
      Policy shadow = policy.with(copy -> copy.mode = Mode.SHADOW);
      return fill.beside(preview.preview(pod, shadow, intent), pod, json, shadow, intent);
    }
    return fill.fill(pod, json, policy, intent);
  }

  private Conclusion colocate(Colocatable pod, Context context) {
    Policy policy = context.policy();
    if (policy.fills()) {
      return fill(pod, context);
    }
    boolean needsModel = needsModel(policy);
    // Also where the policy needs no model, so that the description of a language model is read.
    ExclusiveCause.ModelUnknown unknown =
        needsModel || pod.workload().engine() != null ? decisions.whyUnknown(pod) : null;
    boolean waits = unknown != null && unknown.isPending() && policy.mode() == Mode.ENFORCE;
    if (unknown != null && !waits && needsModel) {
      return modelUnknown(pod, unknown, context);
    }
    return switch (policy.mode()) {
      case OFF -> Conclusion.unchanged();
      case SHADOW, WARN ->
          fill.beside(
              preview.preview(pod, policy, context.intent()),
              pod,
              context.json(),
              policy,
              context.intent());
      case FILL, CAP -> fill(pod, context);
      case ENFORCE -> enforce.hold(pod, context.document(), policy, predictions(pod));
      case IMMEDIATE -> immediate.decide(pod, context.document(), context.intent());
    };
  }

  /** Of servers of language models alone: the gate decides about other pods. */
  private Collection<Prediction> predictions(Colocatable pod) {
    EngineRun run = pod.workload().engine();
    return run == null || run.kind() != EngineRun.Kind.SERVER
        ? List.of()
        : decisions.predictions(pod);
  }

  private Conclusion modelUnknown(
      Colocatable pod, ExclusiveCause.ModelUnknown cause, Context context) {
    Policy policy = context.policy();
    if (policy.unknownModels() == UnknownModels.UNMANAGED) {
      return unmanaged(
          policy, UnmanagedCause.UNKNOWN_MODEL, List.of(cause.sentence() + "; it runs unmanaged"));
    }
    Reason.ModelUnknown unknown = cause.reason();
    DecisionRecord made = decisions.denied(pod, unknown, context.intent());
    return policy.mode() == Mode.SHADOW || policy.mode() == Mode.WARN
        ? PreviewAdmission.previewed(made, policy)
        : ImmediateAdmission.refusedForModel(made, unknown);
  }

  private static Conclusion invalid(Policy policy, PodIdentity pod, List<String> problems) {
    return switch (policy.mode()) {
      case OFF, SHADOW, WARN, FILL, CAP ->
          unmanaged(policy, UnmanagedCause.INVALID_REQUEST, problems);
      case ENFORCE, IMMEDIATE ->
          Conclusion.refused(Cause.INVALID, RefusalMessage.invalid(pod, problems));
    };
  }

  /** The creator of the pod gets warnings, except in mode Shadow. */
  private static Conclusion unmanaged(Policy policy, UnmanagedCause cause, List<String> warnings) {
    return Conclusion.unmanaged(cause, policy.mode() == Mode.SHADOW ? List.of() : warnings);
  }
}
