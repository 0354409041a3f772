package dev.cotenant.admission;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.decision.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The message of a refusal: a header, then numbered reasons, the most useful first, as many as fit.
 */
final class RefusalMessage {
  /** What is shown whole by kubectl and by the events of controllers. */
  static final int MAX_BYTES = 4096;

  /** Room for the line that counts what was left out. */
  private static final int RESERVED_BYTES = 96;

  private RefusalMessage() {}

  static String held(PodIdentity pod, List<Reason> reasons) {
    return numbered(
        "pod " + pod + " fits on no GPU now; create it again when there is room.", lines(reasons));
  }

  static String denied(PodIdentity pod, List<Reason> reasons) {
    return numbered("pod " + pod + " can never fit on the GPUs of this cluster.", lines(reasons));
  }

  static String conflict(PodIdentity pod, Reason reason) {
    return numbered(
        "pod " + pod + " was changed after it was granted room; create it again.",
        lines(List.of(reason)));
  }

  static String modelUnknown(PodIdentity pod, Reason.ModelUnknown reason) {
    String what =
        reason.model() == null
            ? "it names none in the annotation cotenant.dev/model"
            : "'" + reason.model() + "' is not registered; register it, then create the pod again";
    return numbered(
        "pod " + pod + " must name a registered model here.", List.of(reason.code() + ": " + what));
  }

  static String invalid(PodIdentity pod, List<String> problems) {
    return numbered("pod " + pod + " asks for what cannot be understood.", problems);
  }

  private static List<String> lines(List<Reason> reasons) {
    return byUsefulness(reasons).stream()
        .map(reason -> reason.code() + ": " + reason.sentence())
        .toList();
  }

  /**
   * What concerns every GPU comes first, then GPU by GPU: those where a user can do something about
   * even the worst reason, and among them those with the fewest. That bounds are too uncertain
   * comes last where it is not what decides: where a share was looked for elsewhere too, or where
   * no GPU is large enough.
   */
  static List<Reason> byUsefulness(List<Reason> reasons) {
    Map<String, Integer> count =
        reasons.stream().collect(Collectors.toMap(RefusalMessage::gpu, _ -> 1, Integer::sum));
    Map<String, Integer> worst =
        reasons.stream()
            .collect(Collectors.toMap(RefusalMessage::gpu, RefusalMessage::severity, Math::max));
    return reasons.stream()
        .sorted(
            Comparator.comparingInt((Reason reason) -> rank(reason, reasons))
                .thenComparingInt(reason -> worst.getOrDefault(gpu(reason), 0))
                .thenComparingInt(reason -> count.getOrDefault(gpu(reason), 0))
                .thenComparing(RefusalMessage::gpu)
                .thenComparingInt(RefusalMessage::severity))
        .toList();
  }

  private static int rank(Reason reason, List<Reason> all) {
    if (reason instanceof Reason.PolicyExcluded) {
      boolean decides =
          all.stream().noneMatch(RefusalMessage::isOfShare)
              && all.stream().anyMatch(Reason.ExclusiveRequested.class::isInstance);
      return decides ? 0 : 2;
    }
    if (reason instanceof Reason.NodeExcluded) {
      return 3;
    }
    return gpu(reason).isEmpty() ? 0 : 1;
  }

  private static boolean isOfShare(Reason reason) {
    return reason instanceof Reason.UtilizationExceeded
        || reason instanceof Reason.MemoryForecastExceeded
        || reason instanceof Reason.InterferenceExceeded
        || reason instanceof Reason.TenantLimit;
  }

  /** Node and uuid; empty for a reason that concerns no single GPU. */
  private static String gpu(Reason reason) {
    return reason instanceof Reason.OfGpu of ? of.node() + "/" + of.gpuUuid() : "";
  }

  /** How far a reason is from what a smaller batch or a little patience would cure. */
  static int severity(Reason reason) {
    return switch (reason) {
      case Reason.ReservationConflict _,
          Reason.ModelUnknown _,
          Reason.PolicyExcluded _,
          Reason.QueuedBehind _,
          Reason.WaitTimeout _,
          Reason.GrantRefused _,
          Reason.RequestInvalid _ ->
          0;
      case Reason.UtilizationExceeded _ -> 1;
      case Reason.MemoryForecastExceeded _ -> 2;
      case Reason.InterferenceExceeded _ -> 3;
      case Reason.TenantLimit _ -> 4;
      case Reason.ExclusiveRequested _ -> 5;
      case Reason.MetricsStale _ -> 6;
      case Reason.NoMetrics _ -> 7;
      case Reason.PredictedMemoryExceeded _ -> 8;
      case Reason.MigNotShareable _ -> 9;
      case Reason.NodeExcluded _ -> 10;
      case Reason.NoCandidateGpu _ -> 11;
    };
  }

  private static String numbered(String header, List<String> lines) {
    StringBuilder message = new StringBuilder("cotenant: ").append(header);
    int bytes = utf8Length(message.toString());
    for (int i = 0; i < lines.size(); i++) {
      String line = "\n" + (i + 1) + ". " + lines.get(i);
      bytes += utf8Length(line);
      if (bytes > MAX_BYTES - RESERVED_BYTES) {
        return message + "\nand " + (lines.size() - i) + " more.";
      }
      message.append(line);
    }
    return message.toString();
  }

  private static int utf8Length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
