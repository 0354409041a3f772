package dev.cotenant.service.rest.decision;

import dev.cotenant.domain.text.PlainText;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.view.DecisionView;
import dev.cotenant.engine.view.GpuView;
import dev.cotenant.engine.view.GpuView.ReviewView;
import dev.cotenant.engine.view.PredictionView;
import dev.cotenant.service.rest.decision.DecisionViews.WhatIfView;
import dev.cotenant.service.rest.decision.ExplanationView.QueueView;
import dev.cotenant.service.rest.serving.RecommendationsView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Answers as sentences and tables for people: the output of the command line and of kubectl. */
final class TextResponses {
  private static final Table<GpuView> GPUS =
      new Table<GpuView>()
          .text("node", GpuView::node)
          .text("gpu", GpuView::uuid)
          .text("device", GpuView::device)
          .number("granted", TextResponses::granted)
          .number("observed", gpu -> Figures.percent(gpu.observedUtilizationPercent()))
          .number("used", gpu -> Figures.memory(gpu.usedBytes()))
          .number("capacity", gpu -> Figures.memory(gpu.capacityBytes()))
          .text("metrics", TextResponses::metrics)
          .text("review", TextResponses::review)
          .text("tenants", TextResponses::tenants);

  private static final Table<ExplanationView> QUEUE =
      new Table<ExplanationView>()
          .number("rank", pod -> Figures.text(pod.rank()))
          .text("pod", ExplanationView::pod)
          .number("waiting", pod -> Figures.duration(pod.waitingSeconds()))
          .number("fallback in", pod -> Figures.duration(pod.patienceSeconds()))
          .text("policy", ExplanationView::policy)
          .text(
              "model", pod -> pod.requested() == null ? "-" : Figures.text(pod.requested().model()))
          .number(
              "batch",
              pod -> pod.requested() == null ? "-" : Figures.text(pod.requested().batchSize()))
          .text("result", pod -> pod.decision() == null ? "-" : pod.decision().result())
          .text("reasons", TextResponses::why);

  private TextResponses() {}

  private static String granted(GpuView gpu) {
    return gpu.holder() == null ? Figures.percent(gpu.summedUtilizationPercent()) : "whole";
  }

  /**
   * Lines that end in line feeds; empty for answers that have no such form.
   *
   * @param width of tables, in characters
   */
  static Optional<String> of(Object answer, int width) {
    return switch (answer) {
      case GpusView gpus -> Optional.of(text(lines(gpus, width)));
      case QueueView queue -> Optional.of(text(lines(queue, width)));
      case ExplanationView pod -> Optional.of(text(ExplanationText.lines(pod, width)));
      case WhatIfView whatIf -> Optional.of(text(lines(whatIf)));
      case RecommendationsView found -> Optional.of(text(found.lines(width)));
      default -> Optional.empty();
    };
  }

  private static String text(List<String> lines) {
    return lines.stream().map(line -> PlainText.of(line, " ") + "\n").collect(Collectors.joining());
  }

  private static List<String> lines(GpusView cluster, int width) {
    List<String> lines = new ArrayList<>(GPUS.lines(cluster.gpus(), width));
    lines.add("");
    lines.add(
        "granted: predicted upper bounds of all tenants, limit "
            + Figures.percent(cluster.utilizationLimitPercent())
            + "; "
            + cluster.source()
            + ": "
            + cluster.description());
    return lines;
  }

  private static String metrics(GpuView gpu) {
    return gpu.ageSeconds() == null
        ? gpu.metrics()
        : gpu.metrics() + ", " + Figures.duration(gpu.ageSeconds());
  }

  /** {@code outside limits: …} where the serving predictor would not grant what stands. */
  private static String review(GpuView gpu) {
    ReviewView review = gpu.review();
    if (review == null) {
      return "-";
    }
    return review.withinLimits()
        ? "within limits"
        : "outside limits: " + String.join("; ", review.reasons());
  }

  private static String tenants(GpuView gpu) {
    return switch (gpu.tenancy()) {
      case "mig" -> "split by MIG";
      case "exclusive" -> gpu.holder() + " (whole)";
      default -> Figures.list(gpu.tenants().stream().map(GpuView.TenantView::name).toList());
    };
  }

  private static List<String> lines(QueueView queue, int width) {
    if (!queue.waiting().isEmpty()) {
      return QUEUE.lines(queue.waiting(), width);
    }
    return List.of(
        queue.controller()
            ? "No pod waits."
            : "No pod waits: this service decides while pods are created (mode Immediate).");
  }

  private static String why(ExplanationView pod) {
    DecisionView decision = pod.decision();
    if (decision == null || decision.reasons().isEmpty()) {
      return "no decision yet";
    }
    int more = pod.reasonCount() - 1;
    return decision.reasons().getFirst().code() + (more > 0 ? " and " + more + " more" : "");
  }

  private static List<String> lines(WhatIfView answer) {
    DecisionView decision = answer.decision();
    List<String> lines = new ArrayList<>();
    lines.add(
        decision.workload()
            + ": "
            + switch (decision.result()) {
              case "Admitted" -> "admitted";
              case "Held" -> "held, it fits on no GPU now";
              default -> "denied, it can never fit on this cluster";
            });
    for (PredictionView prediction : answer.predictions()) {
      lines.add(ExplanationText.line(prediction));
    }
    ExplanationText.add(lines, decision);
    ExplanationText.add(lines, answer.whatWouldFit());
    return lines;
  }
}
