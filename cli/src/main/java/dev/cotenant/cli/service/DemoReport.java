package dev.cotenant.cli.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Sends pods to the webhook one after the other and prints what became of each. */
final class DemoReport {
  private static final String NOTHING = "-";

  /** Characters of {@code GPU-5f3a0006}. */
  private static final int SHORT_UUID = 12;

  private final Console console;
  private final ServiceClient client;
  private final Path data;

  DemoReport(Console console, ServiceClient client, Path data) {
    this.console = console;
    this.client = client;
    this.data = data;
  }

  void send(List<PodManifest> pods)
      throws IOException, GeneralSecurityException, InterruptedException {
    Map<String, PodAnswer> answers = new LinkedHashMap<>();
    for (PodManifest pod : pods) {
      JsonNode review = client.mutate(PodReview.ofCreation(pod), data);
      answers.put(PodReview.name(pod), PodAnswer.of(review));
    }
    Map<String, JsonNode> decisions = client.decisions();
    Map<String, List<String>> tenants = client.tenants();
    new Table<Map.Entry<String, PodAnswer>>()
        .text("pod", Map.Entry::getKey)
        .text(
            "predicted utilization",
            row -> utilization(made(decisions, row).at("/prediction/utilization_percent")))
        .text(
            "predicted memory",
            row -> memory(made(decisions, row).at("/prediction/peak_memory_bytes")))
        .text(
            "result",
            row -> result(row.getValue(), made(decisions, row).at("/decision/result").asText()))
        .text(
            "where, or why not",
            row ->
                whereOrWhyNot(
                    row.getKey(),
                    row.getValue(),
                    tenants,
                    made(decisions, row).at("/decision/reasons").size()))
        .print(answers.entrySet(), console);
    printReasons(answers);
  }

  private static JsonNode made(Map<String, JsonNode> decisions, Map.Entry<String, PodAnswer> row) {
    return decisions.getOrDefault(row.getKey(), MissingNode.getInstance());
  }

  /** Tables would be as wide as the longest reason, so reasons follow the table. */
  private void printReasons(Map<String, PodAnswer> answers) {
    console.line("");
    answers.forEach((pod, answer) -> {
      if (answer instanceof PodAnswer.Refused(List<String> reasons)) {
        console.line(pod + ": " + reasons.getFirst());
      }
    });
  }

  private static String utilization(JsonNode percent) {
    return percent.isObject()
        ? String.format(
            Locale.ROOT,
            "%.1f %% (at most %.1f %%)",
            percent.path("mean").asDouble(),
            percent.path("upper").asDouble())
        : NOTHING;
  }

  private static String memory(JsonNode bytes) {
    return bytes.isObject()
        ? MemorySize.ofBytes(bytes.path("mean").asLong())
            + " (at most "
            + MemorySize.ofBytes(bytes.path("upper").asLong())
            + ")"
        : NOTHING;
  }

  /** Mode Immediate refuses held and denied pods alike; a held one may be created again. */
  private static String result(PodAnswer answer, String decision) {
    return switch (answer) {
      case PodAnswer.Admitted _ -> "admitted";
      case PodAnswer.Unmanaged _ -> "unmanaged";
      case PodAnswer.Refused _ ->
          decision.isEmpty() ? "refused" : decision.toLowerCase(Locale.ROOT);
    };
  }

  private static String whereOrWhyNot(
      String pod, PodAnswer answer, Map<String, List<String>> tenants, int decided) {
    return switch (answer) {
      case PodAnswer.Admitted(Map<String, String> annotations) -> {
        String gpu = annotations.getOrDefault(CotenantAnnotations.ASSIGNED_GPU, NOTHING);
        List<String> others =
            tenants.getOrDefault(gpu, List.of()).stream()
                .filter(name -> !name.equals(pod))
                .toList();
        yield gpu.substring(0, Math.min(SHORT_UUID, gpu.length()))
            + " on "
            + annotations.get(CotenantAnnotations.ASSIGNED_NODE)
            + (others.isEmpty() ? ", alone" : ", with " + String.join(", ", others));
      }
      case PodAnswer.Unmanaged _ -> NOTHING;
      case PodAnswer.Refused(List<String> reasons) ->
          // The message of the webhook is cut; the decision has all reasons.
          code(reasons.getFirst(), Math.max(reasons.size(), decided));
    };
  }

  /** {@code 1. UtilizationExceeded, the first of 18 reasons}. */
  private static String code(String reason, int reasons) {
    int colon = reason.indexOf(": ");
    String first = colon < 0 ? reason : reason.substring(0, colon);
    return reasons == 1 ? first : first + ", the first of " + reasons + " reasons";
  }
}
