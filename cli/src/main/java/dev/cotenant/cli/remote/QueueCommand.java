package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The pods that a service holds. */
@Command(
    name = "queue",
    mixinStandardHelpOptions = true,
    description =
        "Lists gated pods of a running service in the order in which they are decided on.")
public final class QueueCommand implements Callable<Integer> {
  private static final Table<JsonNode> TABLE =
      new Table<JsonNode>()
          .number("rank", pod -> CellFormat.text(pod.path("rank")))
          .text("pod", pod -> CellFormat.text(pod.path("pod")))
          .number("waiting", pod -> CellFormat.duration(pod.path("waiting_seconds")))
          .number("fallback in", pod -> CellFormat.duration(pod.path("fallback_in_seconds")))
          .text("policy", pod -> CellFormat.text(pod.path("policy")))
          .text("model", pod -> CellFormat.text(pod.path("requested").path("model")))
          .number("batch", pod -> CellFormat.text(pod.path("requested").path("batch_size")))
          .text("verdict", pod -> CellFormat.text(pod.path("decision").path("verdict")))
          .text("reasons", QueueCommand::why);

  private final Console console;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Mixin private NamespaceOption namespace = new NamespaceOption();

  @Option(names = "--json", description = "One JSON object a pod and nothing else.")
  private boolean json;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "At most so many (default 100).")
  private int limit;

  public QueueCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    int most = Math.max(1, limit);
    JsonNode queue =
        remote.service().get("/v1/queue?limit=" + most + namespace.query('&'), "waiting");
    JsonNode waiting = queue.path("waiting");
    if (json) {
      waiting.forEach(console::json);
      return 0;
    }
    if (waiting.isEmpty()) {
      console.line(
          queue.path("controller").asBoolean()
              ? "No pod waits."
              : "No pod waits: this service decides while pods are created (mode Immediate).");
      return 0;
    }
    CellFormat.rows(waiting, TABLE, console);
    return 0;
  }

  private static String why(JsonNode pod) {
    JsonNode first = pod.path("decision").path("reasons").path(0);
    int reasons = pod.path("reason_count").asInt();
    return first.isMissingNode()
        ? "not decided on yet"
        : first.path("code").asText() + (reasons > 1 ? " and " + (reasons - 1) + " more" : "");
  }
}
