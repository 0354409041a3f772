package dev.cotenant.service.rest.decision;

import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.view.BoundsView;
import dev.cotenant.engine.view.BoundsView.CalibrationView;
import dev.cotenant.engine.view.DecisionView;
import dev.cotenant.engine.view.DecisionView.GrantView;
import dev.cotenant.engine.view.EngineMemoryView;
import dev.cotenant.engine.view.PredictionView;
import dev.cotenant.engine.view.PredictionView.MeasuredHereView;
import dev.cotenant.engine.view.ReasonView;
import dev.cotenant.service.rest.decision.ExplanationView.GrantReviewView;
import dev.cotenant.service.rest.decision.RequestedView.FitView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An explanation as sentences, and its candidates as a table. */
final class ExplanationText {
  private static final Table<CandidateView> CANDIDATES =
      new Table<CandidateView>()
          .text("gpu", CandidateView::gpu)
          .text("node", CandidateView::node)
          .number("util granted", gpu -> Figures.percent(gpu.summedUtilizationPercent()))
          .number("util observed", gpu -> Figures.percent(gpu.observedUtilizationPercent()))
          .number("util unattributed", gpu -> Figures.percent(gpu.unattributedUtilizationPercent()))
          .number("util limit", gpu -> Figures.percent(gpu.utilizationLimitPercent()))
          .number("memory granted", gpu -> Figures.memory(gpu.summedMemoryBytes()))
          .number("memory used", gpu -> Figures.memory(gpu.usedMemoryBytes()))
          .number("memory forecast", gpu -> Figures.memory(gpu.forecastMemoryBytes()))
          .number("memory unattributed", gpu -> Figures.memory(gpu.unattributedMemoryBytes()))
          .number("memory limit", gpu -> Figures.memory(gpu.memoryLimitBytes()))
          .text("tenants", ExplanationText::tenants);

  private ExplanationText() {}

  static List<String> lines(ExplanationView pod, int width) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s (policy %s, mode %s)"
            .formatted(pod.pod(), standing(pod), pod.policy(), pod.policyMode()));
    if (pod.requested() != null) {
      lines.add(line(pod.requested()));
    }
    if (pod.prediction() != null) {
      lines.add(line(pod.prediction()));
      add(lines, pod.prediction().engineMemory());
      add(lines, pod.prediction().measuredHere());
    }
    ProfilingView profiling = pod.profiling();
    if (profiling != null) {
      lines.add(
          "measured alone: "
              + profiling.state()
              + (profiling.until() == null ? "" : ", at most until " + profiling.until()));
    }
    if (pod.guardedSince() != null) {
      lines.add("the guard has closed its GPU to others since " + pod.guardedSince());
    }
    add(lines, pod.review());
    DecisionView decision = pod.decision();
    if (decision != null) {
      if (pod.state() == ExplanationView.State.PAST && !decision.reasons().isEmpty()) {
        lines.add("  reasons at " + pod.since() + ":");
      }
      add(lines, decision);
      int more = pod.reasonCount() - decision.reasons().size();
      if (more > 0) {
        lines.add("  and " + more + " more");
      }
    }
    add(lines, pod.whatWouldFit());
    if (pod.whatWouldFit() == null && isRefused(pod)) {
      lines.add("  What would fit now: no smaller batch");
    }
    if (!pod.candidates().isEmpty()) {
      lines.add("");
      lines.add("GPUs as of now:");
      lines.addAll(CANDIDATES.lines(pod.candidates(), width));
    }
    return lines;
  }

  /** Whether smaller batches of its model were tried. */
  private static boolean isRefused(ExplanationView pod) {
    return pod.decision() != null
        && pod.decision().grants().isEmpty()
        && pod.requested() != null
        && pod.requested().model() != null;
  }

  private static String standing(ExplanationView pod) {
    return switch (pod.state()) {
      case WAITING ->
          "queue position "
              + pod.rank()
              + ", waiting for "
              + Figures.duration(pod.waitingSeconds())
              + (pod.patienceSeconds() == null
                  ? ", without end"
                  : ", " + Figures.duration(pod.patienceSeconds()) + " left");
      case ALLOCATED -> "granted at " + pod.since() + ", not seen running yet";
      case BOUND -> "granted at " + pod.since();
      case OBSERVED -> "granted and seen in measurements";
      case NOMINATED, RELEASED, PAST ->
          (pod.decision() == null ? "decided on" : pod.decision().result())
              + " at "
              + pod.since()
              + ", holds nothing";
    };
  }

  private static String line(RequestedView request) {
    return "  requests "
        + request.gpus()
        + " GPU(s), "
        + (request.model() == null ? "no model named" : "model " + request.model())
        + ", batch "
        + request.batchSize()
        + ", "
        + request.mode();
  }

  static String line(PredictionView prediction) {
    return "  predicted on "
        + prediction.device()
        + ": utilization at most "
        + Figures.percent(prediction.utilizationPercent().upper())
        + coverage(prediction.utilizationPercent())
        + ", peak memory at most "
        + Figures.memory(prediction.peakMemoryBytes().upper())
        + coverage(prediction.peakMemoryBytes());
  }

  /** {@code (in 90 % of cases; 543 rows: cnn on a100-40gb)}. */
  private static String coverage(BoundsView bounds) {
    if (bounds.coverage() == null) {
      return " (assumed)";
    }
    CalibrationView calibration = bounds.calibration();
    return String.format(Locale.ROOT, " (in %.0f %% of cases", 100 * bounds.coverage())
        + (calibration == null
            ? ""
            : String.format(Locale.ROOT, "; %,d rows: ", calibration.rows()) + calibration.group())
        + ")";
  }

  private static void add(List<String> lines, @Nullable EngineMemoryView engine) {
    if (engine != null) {
      String parts =
          engine.parts().entrySet().stream()
              .map(part ->
                  part.getKey().endsWith("_bytes")
                      ? part.getKey().replace("_bytes", " ").replace('_', ' ')
                          + Figures.memory(Math.max(0, part.getValue()))
                      : part.getKey().replace('_', ' ') + " " + part.getValue())
              .collect(Collectors.joining(", "));
      lines.add("  " + engine.engine() + ": " + parts);
      if (engine.advice() != null) {
        lines.add("  " + engine.advice());
      }
    }
  }

  private static void add(List<String> lines, @Nullable MeasuredHereView measured) {
    if (measured != null) {
      String targets =
          measured.targets().stream()
              .map(target -> target.replace('_', ' '))
              .collect(Collectors.joining(" and "));
      lines.add(
          "  "
              + (targets.isEmpty() ? "" : targets + " ")
              + "measured here in "
              + measured.runs()
              + " run(s) of the same, the last until "
              + measured.lastAt());
    }
  }

  private static void add(List<String> lines, @Nullable GrantReviewView review) {
    if (review != null) {
      lines.add(
          "  predictor "
              + review.prediction().modelVersion()
              + (review.wouldBeGranted()
                  ? " would grant this again"
                  : " would not grant this: " + String.join("; ", review.reasons())));
      lines.add(line(review.prediction()));
    }
  }

  /** Grants and reasons. */
  static void add(List<String> lines, DecisionView decision) {
    for (GrantView grant : decision.grants()) {
      lines.add("  on " + grant.gpu() + " of node " + grant.node());
    }
    if (decision.wholeGpuReason() != null) {
      lines.add("  " + decision.wholeGpuReason());
    }
    for (ReasonView reason : decision.reasons()) {
      lines.add("  " + reason.number() + ". " + reason.code() + ": " + reason.message());
    }
  }

  static void add(List<String> lines, @Nullable FitView fit) {
    if (fit != null) {
      lines.add(
          "  What would fit now: batch "
              + fit.batchSize()
              + ", on "
              + fit.gpu()
              + " of node "
              + fit.node());
    }
  }

  private static String tenants(CandidateView gpu) {
    return gpu.holder() == null ? Figures.list(gpu.tenants()) : gpu.holder() + " (whole)";
  }
}
