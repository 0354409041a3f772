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

/** The models that pods of a cluster can name. */
@Command(
    name = "models",
    mixinStandardHelpOptions = true,
    description = "Lists the registered models of a running service, or deletes one.")
public final class ModelsCommand implements Callable<Integer> {
  private static final int DIGITS = 12;

  private final Console console;

  @Option(names = "--delete", paramLabel = "NAME", description = "Deletes this model.")
  private @Nullable String deleted;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Option(names = "--json", description = "JSON output, one object per model.")
  private boolean json;

  public ModelsCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (deleted != null) {
      remote.service().delete("/v1/models/" + RemoteService.escaped(deleted), "name");
      console.line("Model " + deleted + " is deleted.");
      return 0;
    }
    List<JsonNode> models = new ArrayList<>();
    remote.service().get("/v1/models", "models").path("models").forEach(models::add);
    if (json) {
      models.forEach(console::json);
      return 0;
    }
    new Table<JsonNode>()
        .text("name", model -> model.path("name").asText())
        .text("kind", model -> model.path("kind").asText())
        .text("sha256", model -> abbreviated(model.path("sha256").asText()))
        .print(models, console);
    return 0;
  }

  /** Enough to tell files apart; {@code --json} has the whole. */
  private static String abbreviated(String sha256) {
    return sha256.substring(0, Math.min(DIGITS, sha256.length()));
  }
}
