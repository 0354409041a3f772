package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.text.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The trainings of a service. */
@Command(
    name = "trainings",
    mixinStandardHelpOptions = true,
    description =
        "Lists the trainings of a running service, newest first, or cancels one that has not"
            + " ended.")
public final class TrainingsCommand implements Callable<Integer> {
  private static final String PATH = "/v1/trainings";

  private final Console console;

  @Option(names = "--cancel", paramLabel = "ID", description = "Cancels this training.")
  private @Nullable String cancelled;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Option(names = "--json", description = "JSON output, one object per training.")
  private boolean json;

  public TrainingsCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (cancelled != null) {
      remote.service().delete(PATH + "/" + RemoteService.escaped(cancelled), "state");
      console.line("Training " + cancelled + " is cancelled.");
      return 0;
    }
    List<JsonNode> trainings = new ArrayList<>();
    remote.service().get(PATH, "trainings").path("trainings").forEach(trainings::add);
    if (json) {
      trainings.forEach(console::json);
      return 0;
    }
    new Table<JsonNode>()
        .text("id", training -> training.path("id").asText())
        .text("state", training -> training.path("state").asText())
        .text("version", training -> training.path("version").asText("-"))
        .text("message", training -> training.path("message").asText("-"))
        .print(trainings, console);
    return 0;
  }
}
