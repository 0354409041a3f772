package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.decision.LeadingCause;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.decision.ReasonOrder.Shortened;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.engine.view.DecisionView;
import dev.cotenant.engine.view.PredictionView;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.cluster.GpuReview.GrantReview;
import dev.cotenant.service.decisions.Considered;
import dev.cotenant.service.decisions.Explainer;
import dev.cotenant.service.decisions.Explanation;
import dev.cotenant.service.decisions.Explanation.Standing;
import dev.cotenant.service.decisions.PredictionGrounds;
import dev.cotenant.service.rest.decision.RequestedView.FitView;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Explanation of a pod's state.
 *
 * @param state {@code WAITING}; {@code ALLOCATED}, {@code BOUND} or {@code OBSERVED} where it has
 *     capacity; {@code PAST} where it was decided on and holds nothing
 * @param rank its place in the queue, from 1; absent unless it waits
 * @param since since when it waits, or when it was decided
 * @param waitingSeconds how long that is; absent unless it waits
 * @param patienceSeconds how long until it waited too long; absent where it waits without end, or
 *     waited too long already
 * @param fallback what becomes of it then: {@code Exclusive}, {@code Unmanaged} or {@code Hold}
 * @param requested the request of the pod; absent where only the decision is recorded
 * @param prediction for the GPU granted, else for the first device; absent where the model is
 *     unknown
 * @param profiling what measurements tell about its configuration; absent for servers, unknown
 *     models, and policies without profiling
 * @param guardedSince since when its GPU is closed to others, because a tenant there was measured
 *     beyond its limit; absent where it is not
 * @param review the active grant by the serving predictor; absent where that predictor granted it
 * @param decision with the most useful reasons first; absent where nothing was decided yet
 * @param cause counted code; absent unless the pod was refused
 * @param causeText what it needs and what the largest GPU has, where it is too large for every GPU
 * @param decidedAt time at which the reasons were computed, which a refusal keeps for a while;
 *     absent for grants and for reasons that concern no GPU
 * @param causes all reasons by code, the most frequent first; absent in lists and of grants
 * @param reasonCount how many reasons there were
 * @param whatWouldFit the largest batch that would be admitted now; absent where none would
 * @param candidates the GPUs that were granted, else those where the least is amiss
 * @param considered the other GPUs of a pod with a grant, decided about as of now, at most 100
 * @param grounds what the prediction rests on; absent where the model is no registered graph
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ExplanationView(
    @JsonProperty("pod") String pod,
    @Schema(implementation = String.class) @JsonProperty("state") State state,
    @JsonProperty("rank") @Nullable Integer rank,
    @JsonProperty("since") String since,
    @JsonProperty("waiting_seconds") @Nullable Long waitingSeconds,
    @JsonProperty("fallback_in_seconds") @Nullable Long patienceSeconds,
    @JsonProperty("fallback") @Nullable String fallback,
    @JsonProperty("policy") String policy,
    @JsonProperty("policy_mode") String policyMode,
    @JsonProperty("requested") @Nullable RequestedView requested,
    @JsonProperty("prediction") @Nullable PredictionView prediction,
    @JsonProperty("profiling") @Nullable ProfilingView profiling,
    @JsonProperty("guarded_since") @Nullable String guardedSince,
    @JsonProperty("review") @Nullable GrantReviewView review,
    @JsonProperty("decision") @Nullable DecisionView decision,
    @JsonProperty("decided_at") @Nullable String decidedAt,
    @JsonProperty("causes") @Nullable List<ReasonCountView> causes,
    @JsonProperty("cause") @Nullable String cause,
    @JsonProperty("cause_text") @Nullable String causeText,
    @JsonProperty("reason_count") int reasonCount,
    @JsonProperty("largest_fitting_batch") @Nullable FitView whatWouldFit,
    @JsonProperty("candidates") List<CandidateView> candidates,
    @JsonProperty("considered") List<ConsideredView> considered,
    @JsonProperty("grounds") @Nullable GroundsView grounds) {
  ExplanationView {
    candidates = List.copyOf(candidates);
    considered = List.copyOf(considered);
    causes = causes == null ? null : List.copyOf(causes);
  }

  /**
   * A GPU other than the granted one.
   *
   * @param fits whether the pod would be admitted there
   * @param code of the limit that it does not keep; absent where it fits
   * @param message with its numbers; absent where it fits
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record ConsideredView(
      @JsonProperty("gpu") String gpu,
      @JsonProperty("node") String node,
      @JsonProperty("device") String device,
      @JsonProperty("fits") boolean fits,
      @JsonProperty("code") @Nullable String code,
      @JsonProperty("message") @Nullable String message) {
    static ConsideredView of(Considered one, Visibility visibility) {
      Reason because = one.because() == null ? null : Redaction.of(one.because(), visibility);
      return new ConsideredView(
          one.gpu().uuid(),
          one.gpu().node(),
          one.gpu().device().id().value(),
          because == null,
          because == null ? null : because.code(),
          because == null ? null : because.sentence());
    }
  }

  /** Where a pod stands; of one with a grant, the state of that. */
  enum State {
    /** It is in the queue. */
    WAITING,
    NOMINATED,
    ALLOCATED,
    BOUND,
    OBSERVED,
    RELEASED,
    /** It was decided on and holds nothing. */
    PAST;

    private static State of(GrantState grant) {
      return switch (grant) {
        case NOMINATED -> NOMINATED;
        case ALLOCATED -> ALLOCATED;
        case BOUND -> BOUND;
        case OBSERVED -> OBSERVED;
        case RELEASED -> RELEASED;
      };
    }
  }

  private static final int MAX_REASONS = 50;
  private static final int MAX_REASONS_IN_LISTS = 3;

  /** Time of the explanation, and the visible namespaces. */
  record Look(Instant now, Visibility visibility) {}

  /** With everything. */
  static ExplanationView of(Explanation explanation, PredictionGrounds grounds, Look look) {
    Colocatable requested = explanation.subject().requested();
    Prediction prediction = prediction(explanation.subject());
    GroundsView found =
        requested == null || prediction == null
            ? null
            : grounds.of(requested, prediction).map(GroundsView::of).orElse(null);
    return of(explanation, look, MAX_REASONS, found);
  }

  /** With the number of reasons for lists. */
  static ExplanationView ofList(Explanation explanation, Look look) {
    return of(explanation, look, MAX_REASONS_IN_LISTS, null);
  }

  private static ExplanationView of(
      Explanation explanation, Look look, int reasons, @Nullable GroundsView grounds) {
    String pod = explanation.pod().toString();
    @Nullable Colocatable requested = explanation.subject().requested();
    String model = requested == null ? pod : requested.model();
    @Nullable Decision decided = explanation.subject().decision();
    @Nullable Shortened decision = decided == null ? null : ReasonOrder.shortened(decided, reasons);
    @Nullable LeadingCause cause =
        decided == null || decided.reasons().isEmpty() ? null : LeadingCause.of(decided);
    @Nullable Prediction prediction = prediction(explanation.subject());
    QueueState state =
        QueueState.of(explanation.standing(), Duration.between(explanation.since(), look.now));
    boolean hasFallback = state.rank() != null && hasFallback(explanation);
    return new ExplanationView(
        pod,
        state.state(),
        state.rank(),
        explanation.since().toString(),
        state.waitingSeconds(),
        hasFallback ? state.patienceSeconds() : null,
        hasFallback ? word(explanation.policy().queue().fallback()) : null,
        explanation.policy().name(),
        word(explanation.policy().mode()),
        requested == null ? null : RequestedView.of(requested),
        prediction == null ? null : PredictionView.ofModel(model, prediction),
        ProfilingView.of(explanation, prediction),
        explanation.tenant().map(Tenant::guardedSince).map(Instant::toString).orElse(null),
        GrantReviewView.of(model, explanation.standing()),
        decision == null
            ? null
            : DecisionView.of(pod, model, Redaction.of(decision.decision(), look.visibility)),
        decidedAt(explanation),
        decided == null || decided.reasons().isEmpty() || reasons == MAX_REASONS_IN_LISTS
            ? null
            : ReasonCountView.of(decided),
        cause == null ? null : cause.code(),
        cause == null ? null : cause.text(),
        decision == null ? 0 : decision.reasonCount(),
        FitView.of(explanation.fits()),
        reasons == MAX_REASONS_IN_LISTS
            ? List.of()
            : CandidateView.of(
                decision == null ? null : decision.decision(),
                explanation.cluster(),
                explanation.policy().limits(),
                look.visibility),
        explanation.considered().stream()
            .map(one -> ConsideredView.of(one, look.visibility))
            .toList(),
        grounds);
  }

  /** Whole GPUs are what pods with a share fall back to. */
  private static boolean hasFallback(Explanation explanation) {
    return explanation.policy().queue().fallback() != Policy.Fallback.EXCLUSIVE
        || !(explanation.subject().request() instanceof PlacementRequest.Whole);
  }

  private static @Nullable String decidedAt(Explanation explanation) {
    Instant at = explanation.subject().decidedAt();
    return at == null ? null : at.toString();
  }

  /** {@code Enforce} for {@code ENFORCE}, as in the configuration. */
  static String word(Enum<?> value) {
    return value.name().charAt(0) + value.name().substring(1).toLowerCase(Locale.ROOT);
  }

  private record QueueState(
      State state,
      @Nullable Integer rank,
      @Nullable Long waitingSeconds,
      @Nullable Long patienceSeconds) {
    static QueueState of(Standing standing, Duration since) {
      return switch (standing) {
        case Standing.Waiting(int rank, Duration patience) ->
            new QueueState(
                State.WAITING,
                rank,
                Math.max(0, since.toSeconds()),
                patience == null ? null : Math.max(0, patience.toSeconds()));
        case Standing.Granted(GrantState state, var _) ->
            new QueueState(State.of(state), null, null, null);
        case Standing.Past _ -> new QueueState(State.PAST, null, null, null);
      };
    }
  }

  private static @Nullable Prediction prediction(Explanation.Subject subject) {
    if (subject.decision() instanceof Decision.Admitted(List<Grant> grants, var _)) {
      return grants.getFirst().prediction();
    }
    PlacementRequest request = subject.request();
    Map<?, Prediction> byDevice = request == null ? Map.of() : request.predictions();
    return byDevice.values().stream().min(Comparator.comparing(Prediction::device)).orElse(null);
  }

  /**
   * An active grant after a promotion or rollback. Shown only: the grant does not change.
   *
   * @param wouldBeGranted whether the grant is within the limits
   * @param prediction by the serving version
   * @param reasons broken limits with their numbers
   */
  record GrantReviewView(
      @JsonProperty("would_be_granted") boolean wouldBeGranted,
      @JsonProperty("prediction") PredictionView prediction,
      @JsonProperty("reasons") List<String> reasons) {
    private static @Nullable GrantReviewView of(String model, Standing standing) {
      return standing instanceof Standing.Granted(var _, GrantReview review) && review != null
          ? new GrantReviewView(
              review.reasons().isEmpty(),
              PredictionView.ofModel(model, review.now()),
              review.reasons())
          : null;
    }
  }

  /**
   * Gated pods.
   *
   * @param at as of when
   * @param controller whether a gate controller decides; without one pods are decided on while they
   *     are created, and no pod is held
   * @param term the leader's; absent without a controller
   * @param waiting in the order of decision
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record QueueView(
      @JsonProperty("at") String at,
      @JsonProperty("controller") boolean controller,
      @JsonProperty("term") @Nullable Long term,
      @JsonProperty("waiting") List<ExplanationView> waiting,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {
    static QueueView of(Explainer.Queue queue, @Nullable String next, Look look) {
      return new QueueView(
          look.now.toString(),
          queue.term() != null,
          queue.term(),
          queue.waiting().stream().map(pod -> ofList(pod, look)).toList(),
          next);
    }
  }

  /**
   * Reasons of a refusal with one code.
   *
   * @param code of the reasons
   * @param reasonCount how many there are
   * @param gpus number of affected GPUs; 0 if the reasons concern none
   * @param nodes number of affected nodes; 0 if the reasons concern none
   */
  record ReasonCountView(
      @JsonProperty("code") String code,
      @JsonProperty("reason_count") int reasonCount,
      @JsonProperty("gpus") int gpus,
      @JsonProperty("nodes") int nodes) {
    private static final Comparator<ReasonCountView> BY_FREQUENCY =
        Comparator.comparingInt(ReasonCountView::reasonCount)
            .reversed()
            .thenComparing(ReasonCountView::code);

    /** Of all reasons of a decision, the most frequent first. */
    static List<ReasonCountView> of(Decision decision) {
      Map<String, List<Reason>> byCode =
          decision.reasons().stream().collect(Collectors.groupingBy(Reason::code));
      return byCode.entrySet().stream()
          .map(entry -> of(entry.getKey(), entry.getValue()))
          .sorted(BY_FREQUENCY)
          .toList();
    }

    private static ReasonCountView of(String code, List<Reason> reasons) {
      List<Reason.OfGpu> onGpus =
          reasons.stream()
              .filter(Reason.OfGpu.class::isInstance)
              .map(Reason.OfGpu.class::cast)
              .toList();
      long nodes =
          reasons.stream()
              .filter(Reason.NodeExcluded.class::isInstance)
              .map(reason -> ((Reason.NodeExcluded) reason).node())
              .distinct()
              .count();
      return new ReasonCountView(
          code,
          reasons.size(),
          (int) onGpus.stream().map(Reason.OfGpu::gpuUuid).distinct().count(),
          (int) (nodes + onGpus.stream().map(Reason.OfGpu::node).distinct().count()));
    }
  }
}
