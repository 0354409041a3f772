package dev.cotenant.admission.report;

import dev.cotenant.admission.cluster.ClusterWriter.PodEvent;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The last report about a held pod, by Event and annotations. A new one is due when the result or
 * the set of reason codes differs; numbers alone may change without one.
 *
 * @param result {@code Held} or {@code Denied}; empty before the first report
 * @param codes of all reasons
 * @param checkedAt when the reasons were last compared with the report
 */
public record StatusReport(String result, Set<String> codes, Instant checkedAt) {
  public static final StatusReport NONE = new StatusReport("", Set.of(), Instant.MIN);

  /** The limit of the API server for the message of an Event. */
  static final int MAX_EVENT_BYTES = 1024;

  private static final int MAX_ANNOTATION_BYTES = 512;

  public StatusReport {
    codes = Set.copyOf(codes);
  }

  public static StatusReport of(Decision decision, List<Reason> reasons, Instant at) {
    Set<String> codes = reasons.stream().map(Reason::code).collect(Collectors.toSet());
    return new StatusReport(decision.result(), codes, at);
  }

  /** The report that an earlier term wrote onto the pod. */
  public static StatusReport read(WatchedPod pod) {
    String codes = pod.annotations().getOrDefault(CotenantAnnotations.REASON_CODES, "");
    return new StatusReport(
        pod.annotations().getOrDefault(CotenantAnnotations.DECISION, ""),
        codes.isEmpty() ? Set.of() : Set.copyOf(List.of(codes.split(",", -1))),
        Instant.MIN);
  }

  public StatusReport checked(Instant now) {
    return new StatusReport(result, codes, now);
  }

  public boolean isSame(StatusReport other) {
    return result.equals(other.result) && codes.equals(other.codes);
  }

  /** The annotations of the report. */
  public Map<String, String> annotations(String summary) {
    return Map.of(
        CotenantAnnotations.DECISION,
        result,
        CotenantAnnotations.REASON,
        forAnnotation(summary),
        CotenantAnnotations.REASON_CODES,
        codes.stream().sorted().collect(Collectors.joining(",")));
  }

  /** How often each code occurs, then the most useful reason in full. */
  public static String summary(Decision decision, List<Reason> reasons) {
    Map<String, Integer> counts = new TreeMap<>();
    reasons.forEach(reason -> counts.merge(reason.code(), 1, Integer::sum));
    String counted =
        counts.entrySet().stream()
            .map(entry -> entry.getValue() + "x " + entry.getKey())
            .collect(Collectors.joining(", "));
    Reason first = ReasonOrder.mostUseful(decision, reasons);
    return counted + "; " + first.code() + ": " + first.sentence();
  }

  public static PodEvent event(Decision decision, String summary) {
    return decision instanceof Decision.Denied
        ? warning(decision.result(), "fits on no GPU of this cluster: " + summary)
        : normal(decision.result(), "waits for capacity: " + summary);
  }

  public static PodEvent warning(String reason, String message) {
    return new PodEvent(PodEvent.Weight.WARNING, reason, cut(message, MAX_EVENT_BYTES));
  }

  public static PodEvent normal(String reason, String message) {
    return new PodEvent(PodEvent.Weight.NORMAL, reason, cut(message, MAX_EVENT_BYTES));
  }

  /** Text shortened to an annotation's limit. */
  public static String forAnnotation(String text) {
    return cut(text, MAX_ANNOTATION_BYTES);
  }

  /** At most {@code bytes} bytes of UTF-8, on one line. */
  static String cut(String text, int bytes) {
    String line = text.replace('\n', ' ');
    if (line.getBytes(StandardCharsets.UTF_8).length <= bytes) {
      return line;
    }
    int end = Math.min(line.length(), bytes);
    String mark = "...";
    while ((line.substring(0, end) + mark).getBytes(StandardCharsets.UTF_8).length > bytes) {
      end--;
    }
    return line.substring(0, end) + mark;
  }
}
