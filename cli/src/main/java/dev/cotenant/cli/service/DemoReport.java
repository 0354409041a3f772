package dev.cotenant.cli.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Creates pods one after the other and prints what became of each. */
final class DemoReport {
  private static final String NOTHING = "-";

  /** Characters of {@code GPU-5f3a0006}. */
  private static final int SHORT_UUID = 12;

  private final Console console;
  private final DemoPods pods;

  /**
   * A pod and what became of it.
   *
   * @param explanation the service's explanation; missing if the pod is neither held nor granted
   */
  record Row(String pod, PodAnswer answer, JsonNode explanation) {}

  DemoReport(Console console, DemoPods pods) {
    this.console = console;
    this.pods = pods;
  }

  void send(List<PodManifest> manifests) throws IOException, InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (PodManifest manifest : manifests) {
      String name = PodReview.name(manifest);
      PodAnswer answer = pods.create(manifest);
      JsonNode explanation =
          answer instanceof PodAnswer.Admitted ? pods.decided(name) : MissingNode.getInstance();
      rows.add(new Row(name, answer, explanation));
    }
    print(rows);
  }

  void print(List<Row> rows) {
    new Table<Row>()
        .text("pod", Row::pod)
        .text(
            "predicted utilization",
            row -> utilization(row.explanation.at("/prediction/utilization_percent")))
        .text(
            "predicted memory", row -> memory(row.explanation.at("/prediction/peak_memory_bytes")))
        .text("result", DemoReport::result)
        .text("where, or why not", this::whereOrWhyNot)
        .print(rows, console);
    printReasons(rows);
  }

  /** Tables would be as wide as the longest reason, so reasons follow the table. */
  private void printReasons(List<Row> rows) {
    console.line("");
    for (Row row : rows) {
      if (row.answer instanceof PodAnswer.Refused(List<String> reasons)) {
        console.line(row.pod + ": " + reasons.getFirst());
      } else if (!reasons(row.explanation).isEmpty()) {
        JsonNode first = reasons(row.explanation).get(0);
        console.line(
            row.pod
                + ": 1. "
                + first.path("code").asText()
                + ": "
                + first.path("message").asText());
      }
    }
  }

  private static JsonNode reasons(JsonNode explanation) {
    return explanation.at("/decision/reasons");
  }

  static String utilization(JsonNode percent) {
    return percent.isObject()
        ? String.format(
            Locale.ROOT,
            "%.1f %% (at most %.1f %%)",
            percent.path("mean").asDouble(),
            percent.path("upper").asDouble())
        : NOTHING;
  }

  static String memory(JsonNode bytes) {
    return bytes.isObject()
        ? MemorySize.ofBytes(bytes.path("mean").asLong())
            + " (at most "
            + MemorySize.ofBytes(bytes.path("upper").asLong())
            + ")"
        : NOTHING;
  }

  private static String result(Row row) {
    return switch (row.answer) {
      case PodAnswer.Unmanaged _ -> "unmanaged";
      case PodAnswer.Refused _ -> "refused";
      case PodAnswer.Admitted _ ->
          switch (row.explanation.at("/decision/result").asText()) {
            case "Admitted" -> "runs";
            case "Denied" -> "can never run";
            default -> "waits";
          };
    };
  }

  private String whereOrWhyNot(Row row) {
    if (row.answer instanceof PodAnswer.Refused(List<String> reasons)) {
      return code(reasons.getFirst().replaceFirst(": .*", ""), reasons.size());
    }
    JsonNode grant = row.explanation.at("/decision/grants/0");
    if (grant.isObject()) {
      return where(grant) + beside(row.pod, grant);
    }
    JsonNode first = reasons(row.explanation).path(0).path("code");
    return first.isMissingNode()
        ? NOTHING
        : code("1. " + first.asText(), row.explanation.path("reason_count").asInt());
  }

  private String beside(String pod, JsonNode grant) {
    List<String> others = pods.neighbours(pod, grant.path("gpu").asText());
    return others.isEmpty() ? ", alone" : ", with " + String.join(", ", others);
  }

  /** {@code GPU-5f3a0006 on gpu-2}. */
  static String where(JsonNode grant) {
    String gpu = grant.path("gpu").asText();
    return gpu.substring(0, Math.min(SHORT_UUID, gpu.length()))
        + " on "
        + grant.path("node").asText();
  }

  /** {@code 1. UtilizationExceeded, the first of 18 reasons}. */
  private static String code(String first, int reasons) {
    return reasons == 1 ? first : first + ", the first of " + reasons + " reasons";
  }
}
