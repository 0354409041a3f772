package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.domain.InputException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Why a pod waits, or what it was granted. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    description =
        "Explains why a pod waits, or what it was granted, as a running service knows it.")
public final class ExplainCommand implements Callable<Integer> {
  private static final String PREFIX = "pod/";

  private static final Table<JsonNode> CANDIDATES =
      new Table<JsonNode>()
          .text("node", gpu -> CellFormat.text(gpu.path("node")))
          .text("gpu", gpu -> CellFormat.text(gpu.path("gpu")))
          .number("granted", percent("summed_utilization_percent"))
          .number("observed", percent("observed_utilization_percent"))
          .number("unattributed", percent("unattributed_utilization_percent"))
          .number("limit", percent("utilization_limit_percent"))
          .number("granted", memory("summed_memory_bytes"))
          .number("used", memory("used_memory_bytes"))
          .number("forecast", memory("forecast_memory_bytes"))
          .number("unattributed", memory("unattributed_memory_bytes"))
          .number("limit", memory("memory_limit_bytes"))
          .text("tenants", ExplainCommand::tenants);

  private static Function<JsonNode, String> percent(String key) {
    return gpu -> CellFormat.percent(gpu.path(key));
  }

  private static Function<JsonNode, String> memory(String key) {
    return gpu -> CellFormat.memory(gpu.path(key));
  }

  private static String tenants(JsonNode gpu) {
    JsonNode holder = gpu.path("holder");
    return holder.isTextual() ? holder.asText() + " (whole)" : CellFormat.list(gpu.path("tenants"));
  }

  private final Console console;
  private final @Nullable String currentNamespace;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Parameters(index = "0", paramLabel = "pod/NAME", description = "The pod.")
  private String pod = "";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description = "Its namespace (default: kubectl's current one, else default).")
  private @Nullable String namespace;

  @Option(names = "--json", description = "One JSON object and nothing else.")
  private boolean json;

  /**
   * @param currentNamespace where pods are looked for unless the user says so; null or empty is
   *     {@code default}
   */
  public ExplainCommand(Console console, @Nullable String currentNamespace) {
    this.console = console;
    this.currentNamespace = currentNamespace;
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode explained =
        remote.service().get("/v1/explain/" + escaped(space()) + "/" + escaped(name()), "state");
    if (json) {
      console.json(explained);
    } else {
      print(explained);
    }
    return 0;
  }

  private String space() {
    String current = Objects.requireNonNullElse(currentNamespace, "");
    return namespace == null ? (current.isEmpty() ? "default" : current) : namespace;
  }

  private String name() {
    String name = pod.startsWith(PREFIX) ? pod.substring(PREFIX.length()) : pod;
    if (name.isEmpty() || name.contains("/")) {
      throw InputException.invalidArgument(
          "bad-pod", "Name a pod as pod/NAME, and its namespace with -n; '" + pod + "' is none.");
    }
    return name;
  }

  private static String escaped(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void print(JsonNode explained) {
    console.line(explained.path("pod").asText() + ": " + standing(explained));
    printAsked(explained);
    JsonNode decision = explained.path("decision");
    for (JsonNode grant : decision.path("grants")) {
      console.line(
          "  on " + grant.path("gpu").asText() + " of node " + grant.path("node").asText());
    }
    printReasons(explained, decision.path("reasons"));
    JsonNode fit = explained.path("largest_fitting_batch");
    if (fit.isObject()) {
      console.line(
          "  What would fit: batch "
              + fit.path("batch_size").asText()
              + ", on "
              + fit.path("gpu").asText()
              + " of node "
              + fit.path("node").asText());
    }
    printCandidates(explained.path("candidates"));
  }

  private static String standing(JsonNode explained) {
    String policy =
        " (policy "
            + explained.path("policy").asText()
            + ", mode "
            + explained.path("policy_mode").asText()
            + ")";
    String since = explained.path("since").asText();
    return switch (explained.path("state").asText()) {
      case "WAITING" -> {
        String left = CellFormat.duration(explained.path("fallback_in_seconds"));
        yield "queue position "
            + explained.path("rank").asText()
            + ", waiting for "
            + CellFormat.duration(explained.path("waiting_seconds"))
            + (left.equals(CellFormat.NONE) ? ", without end" : ", " + left + " left")
            + policy;
      }
      case "ALLOCATED" -> "granted at " + since + ", not seen running yet" + policy;
      case "BOUND" -> "granted at " + since + policy;
      case "OBSERVED" -> "granted and seen in measurements" + policy;
      default ->
          explained.path("decision").path("verdict").asText("decided on")
              + " at "
              + since
              + ", holds nothing"
              + policy;
    };
  }

  private void printAsked(JsonNode explained) {
    JsonNode request = explained.path("requested");
    if (request.isObject()) {
      String model = CellFormat.text(request.path("model"));
      console.line(
          "  asks for "
              + request.path("gpus").asText()
              + " GPU(s), "
              + (model.equals(CellFormat.NONE) ? "no model named" : "model " + model)
              + ", batch "
              + request.path("batch_size").asText()
              + ", "
              + request.path("mode").asText());
    }
    JsonNode prediction = explained.path("prediction");
    if (prediction.isObject()) {
      console.line(
          "  predicted on "
              + prediction.path("device").asText()
              + ": utilization at most "
              + CellFormat.percent(prediction.path("utilization_percent").path("upper"))
              + ", peak memory at most "
              + CellFormat.memory(prediction.path("peak_memory_bytes").path("upper")));
      JsonNode measured = prediction.path("measured_here");
      if (measured.isObject()) {
        console.line(
            "  "
                + targets(measured)
                + "measured here in "
                + measured.path("runs").asText()
                + " run(s) of the same, the last until "
                + measured.path("last_at").asText());
      }
    }
  }

  private static String targets(JsonNode measured) {
    List<String> names = new ArrayList<>();
    measured.path("targets").forEach(target -> names.add(target.asText().replace('_', ' ')));
    return names.isEmpty() ? "" : String.join(" and ", names) + " ";
  }

  private void printReasons(JsonNode explained, JsonNode reasons) {
    for (JsonNode reason : reasons) {
      console.line(
          "  "
              + reason.path("number").asText()
              + ". "
              + reason.path("code").asText()
              + ": "
              + reason.path("message").asText());
    }
    int more = explained.path("reason_count").asInt() - reasons.size();
    if (more > 0) {
      console.line("  and " + more + " more");
    }
  }

  private void printCandidates(JsonNode candidates) {
    if (candidates.isEmpty()) {
      return;
    }
    console.line("");
    CellFormat.rows(candidates, CANDIDATES, console);
  }
}
