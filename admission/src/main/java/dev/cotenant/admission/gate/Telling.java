package dev.cotenant.admission.gate;

import dev.cotenant.admission.ReasonOrder;
import dev.cotenant.admission.gate.ClusterWriter.PodEvent;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What people are told about a pod, and when that has changed. */
final class Telling {
  /** What an Event may have. */
  static final int MAX_EVENT_BYTES = 1024;

  private static final int MAX_ANNOTATION_BYTES = 512;
  private static final Pattern COUNTED = Pattern.compile("\\d+x ([A-Za-z]+)");

  private Telling() {}

  /**
   * What was told last.
   *
   * @param verdict {@code Held} or {@code Denied}; empty where nothing was
   * @param codes of all reasons
   * @param at when it was last looked whether that is still so
   */
  record Told(String verdict, Set<String> codes, Instant at) {
    static final Told NOTHING = new Told("", Set.of(), Instant.MIN);

    Told {
      codes = Set.copyOf(codes);
    }

    /** The same, looked at again. */
    Told lookedAt(Instant now) {
      return new Told(verdict, codes, now);
    }

    boolean saysTheSame(Told other) {
      return verdict.equals(other.verdict) && codes.equals(other.codes);
    }
  }

  /** What an earlier term told, as far as it wrote it down. */
  static Told toldBefore(WatchedPod pod) {
    String verdict = pod.annotations().getOrDefault(CotenantAnnotations.DECISION, "");
    Set<String> codes =
        COUNTED
            .matcher(pod.annotations().getOrDefault(CotenantAnnotations.REASON, ""))
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    return new Told(verdict, codes, Instant.MIN);
  }

  static String verdict(Decision decision) {
    return switch (decision) {
      case Decision.Admitted _ -> "Admitted";
      case Decision.Held _ -> "Held";
      case Decision.Denied _ -> "Denied";
    };
  }

  static Told of(String verdict, List<Reason> reasons, Instant at) {
    Set<String> codes = reasons.stream().map(Reason::code).collect(Collectors.toSet());
    return new Told(verdict, codes, at);
  }

  /** How often each code was a reason, then the most useful reason in full. */
  static String summary(List<Reason> reasons) {
    Map<String, Integer> counts = new TreeMap<>();
    reasons.forEach(reason -> counts.merge(reason.code(), 1, Integer::sum));
    String counted =
        counts.entrySet().stream()
            .map(entry -> entry.getValue() + "x " + entry.getKey())
            .collect(Collectors.joining(", "));
    Reason first = ReasonOrder.mostUseful(reasons);
    return counted + "; " + first.code() + ": " + first.sentence();
  }

  static PodEvent event(Decision decision, String summary) {
    boolean denied = decision instanceof Decision.Denied;
    return new PodEvent(
        denied ? PodEvent.Weight.WARNING : PodEvent.Weight.NORMAL,
        verdict(decision),
        cut(
            (denied ? "fits on no GPU of this cluster: " : "waits for room: ") + summary,
            MAX_EVENT_BYTES));
  }

  static PodEvent warning(String reason, String message) {
    return new PodEvent(PodEvent.Weight.WARNING, reason, cut(message, MAX_EVENT_BYTES));
  }

  static PodEvent normal(String reason, String message) {
    return new PodEvent(PodEvent.Weight.NORMAL, reason, cut(message, MAX_EVENT_BYTES));
  }

  static String forAnnotation(String summary) {
    return cut(summary, MAX_ANNOTATION_BYTES);
  }

  /** At most so many bytes of UTF-8, on one line. */
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
