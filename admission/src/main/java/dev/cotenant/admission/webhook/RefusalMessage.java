package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The message of a refusal: a header, then numbered reasons, the most useful first, as many as fit.
 */
final class RefusalMessage {
  /** kubectl and the Events of controllers show so much. */
  static final int MAX_BYTES = 4096;

  /** Space for the last line, which counts the rest. */
  private static final int RESERVED_BYTES = 96;

  private RefusalMessage() {}

  static String held(PodIdentity pod, List<Reason> reasons) {
    return numbered(
        "pod " + pod + " fits on no GPU now; create it again when there is capacity.",
        lines(new Decision.Held(reasons)));
  }

  static String denied(PodIdentity pod, List<Reason> reasons) {
    return numbered(
        "pod " + pod + " can never fit on the GPUs of this cluster.",
        lines(new Decision.Denied(reasons)));
  }

  static String conflict(PodIdentity pod, Reason reason) {
    return numbered(
        "pod " + pod + " was changed after it was granted capacity; create it again.",
        lines(new Decision.Denied(List.of(reason))));
  }

  static String modelUnknown(PodIdentity pod, Reason.ModelUnknown reason) {
    String what =
        reason.model() == null
            ? "it has no annotation cotenant.dev/model"
            : reason.why() != null
                ? reason.why()
                : "'"
                    + reason.model()
                    + "' is not registered; register it, then create the pod again";
    return numbered(
        "pod " + pod + " must name a registered model here.", List.of(reason.code() + ": " + what));
  }

  static String invalid(PodIdentity pod, List<String> problems) {
    return numbered("the request of pod " + pod + " is invalid.", problems);
  }

  private static List<String> lines(Decision refusal) {
    return ReasonOrder.byUsefulness(refusal).stream()
        .map(reason -> reason.code() + ": " + reason.sentence())
        .toList();
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
