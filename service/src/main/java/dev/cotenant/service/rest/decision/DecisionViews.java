package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.engine.view.DecisionView;
import dev.cotenant.engine.view.PredictionView;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.decisions.WhatIf;
import dev.cotenant.service.rest.decision.RequestedView.FitView;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decisions as REST shows them. */
final class DecisionViews {
  private DecisionViews() {}

  /**
   * What would be decided.
   *
   * @param decision the decision
   * @param predictions its predictions by device
   * @param whatWouldFit largest batch that would be admitted instead; absent if the pod is
   *     admitted, or if no batch fits
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record WhatIfView(
      @JsonProperty("decision") DecisionView decision,
      @JsonProperty("predictions") List<PredictionView> predictions,
      @JsonProperty("largest_fitting_batch") @Nullable FitView whatWouldFit) {
    static WhatIfView of(WhatIf.Answer answer, Visibility visibility) {
      String workload = answer.request().workload();
      List<PredictionView> predictions =
          byDevice(answer.request()).entrySet().stream()
              .sorted(Map.Entry.comparingByKey())
              .map(entry -> PredictionView.ofModel(answer.model(), entry.getValue()))
              .toList();
      return new WhatIfView(
          DecisionView.of(workload, answer.model(), Redaction.of(answer.decision(), visibility)),
          predictions,
          FitView.of(answer.fits()));
    }
  }

  /**
   * What the webhooks decided.
   *
   * @param at when
   * @param pod namespace and name as far as there was one
   * @param dryRun whether it left no trace but this
   * @param prediction for the GPU granted, else for the cluster's first device; absent where the
   *     model is unknown
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record EntryView(
      @JsonProperty("at") String at,
      @JsonProperty("pod") String pod,
      @JsonProperty("dry_run") boolean dryRun,
      @JsonProperty("prediction") @Nullable PredictionView prediction,
      @JsonProperty("decision") DecisionView decision) {
    static EntryView of(DecisionRecord made, Visibility visibility) {
      return of(made, ReasonOrder.ordered(made.decision()), visibility);
    }

    /** With the visible part of the decision. */
    static EntryView of(DecisionRecord made, Decision shown, Visibility visibility) {
      String model = made.podRequest().model();
      return new EntryView(
          made.at().toString(),
          made.pod().toString(),
          made.intent() == Intent.DRY_RUN,
          made.prediction().map(p -> PredictionView.ofModel(model, p)).orElse(null),
          DecisionView.of(made.pod().toString(), model, Redaction.of(shown, visibility)));
    }
  }

  /**
   * Newest first.
   *
   * @param next token of the next page; absent on the last
   */
  record HistoryView(
      @JsonProperty("decisions") List<EntryView> decisions,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {}

  private static Map<DeviceId, Prediction> byDevice(PlacementRequest request) {
    return switch (request) {
      case PlacementRequest.Share share -> share.predictions();
      case PlacementRequest.Whole whole -> whole.predictions();
    };
  }
}
