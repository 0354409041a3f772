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

/** Predictor versions of a service. */
@Command(
    name = "versions",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the versions of the predictor of a running service, oldest first, or deletes one.",
      "A version that was promoted, or that another corrects, cannot be deleted."
    })
public final class VersionsCommand implements Callable<Integer> {
  private final Console console;

  @Option(names = "--delete", paramLabel = "VERSION", description = "Deletes this version.")
  private @Nullable String deleted;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Option(names = "--json", description = "JSON output, one object per version.")
  private boolean json;

  public VersionsCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (deleted != null) {
      remote.service().delete("/v1/predictors/" + RemoteService.escaped(deleted), "version");
      console.line("Version " + deleted + " is deleted.");
      return 0;
    }
    List<JsonNode> versions = new ArrayList<>();
    remote.service().get("/v1/predictors", "predictors").path("predictors").forEach(versions::add);
    if (json) {
      versions.forEach(console::json);
      return 0;
    }
    new Table<JsonNode>()
        .text("version", version -> version.path("version").asText())
        .text("kind", version -> version.path("kind").asText())
        .text("origin", version -> version.path("origin").asText())
        .text("created", version -> version.path("created_at").asText())
        .text("promoted", version -> version.path("promoted").asBoolean() ? "yes" : "-")
        .print(versions, console);
    return 0;
  }
}
