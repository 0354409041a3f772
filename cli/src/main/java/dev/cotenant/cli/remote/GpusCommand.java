package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The GPUs that a service decides about, and who is on them. */
@Command(
    name = "gpus",
    mixinStandardHelpOptions = true,
    description = "Lists the GPUs of a running service with their tenants, grants included.")
public final class GpusCommand implements Callable<Integer> {
  private static final Table<JsonNode> TABLE =
      new Table<JsonNode>()
          .text("node", gpu -> CellFormat.text(gpu.path("node")))
          .text("gpu", gpu -> CellFormat.text(gpu.path("uuid")))
          .text("device", gpu -> CellFormat.text(gpu.path("device")))
          .number("granted", gpu -> CellFormat.percent(gpu.path("summed_utilization_percent")))
          .number("observed", gpu -> CellFormat.percent(gpu.path("observed_utilization_percent")))
          .number("used", gpu -> CellFormat.memory(gpu.path("used_bytes")))
          .number("capacity", gpu -> CellFormat.memory(gpu.path("capacity_bytes")))
          .text("metrics", GpusCommand::metrics)
          .text("tenants", GpusCommand::tenants);

  private final Console console;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Mixin private NamespaceOption namespace = new NamespaceOption();

  @Option(names = "--json", description = "One JSON object a GPU and nothing else.")
  private boolean json;

  public GpusCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode cluster = remote.service().get("/v1/gpus" + namespace.query('?'), "gpus");
    if (json) {
      cluster.path("gpus").forEach(console::json);
      return 0;
    }
    CellFormat.rows(cluster.path("gpus"), TABLE, console);
    console.line("");
    console.line(
        "granted: predicted upper bounds of all tenants, limit "
            + CellFormat.percent(cluster.path("utilization_limit_percent"))
            + "; "
            + cluster.path("source").asText()
            + ": "
            + cluster.path("description").asText());
    return 0;
  }

  private static String metrics(JsonNode gpu) {
    String age = CellFormat.duration(gpu.path("age_seconds"));
    String metrics = gpu.path("metrics").asText(CellFormat.NONE);
    return age.equals(CellFormat.NONE) ? metrics : metrics + ", " + age;
  }

  private static String tenants(JsonNode gpu) {
    return switch (gpu.path("tenancy").asText()) {
      case "mig" -> "split by MIG";
      case "exclusive" -> gpu.path("holder").asText() + " (whole)";
      default -> {
        List<String> names = new ArrayList<>();
        gpu.path("tenants").forEach(tenant -> names.add(tenant.path("name").asText()));
        yield names.isEmpty() ? CellFormat.NONE : String.join(", ", names);
      }
    };
  }
}
