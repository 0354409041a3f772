package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.text.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The profiles that a service has stored. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "Lists the profiles that a running service has stored.")
final class ListProfilesCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Mixin private ProfileNamespace namespace = new ProfileNamespace();

  @Option(names = "--json", description = "JSON output, one object per profile.")
  private boolean json;

  ListProfilesCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    List<JsonNode> profiles = new ArrayList<>();
    remote
        .service()
        .get(namespace.path("", null), "profiles")
        .path("profiles")
        .forEach(profiles::add);
    if (json) {
      profiles.forEach(console::json);
      return 0;
    }
    new Table<JsonNode>()
        .text("namespace", profile -> profile.path("namespace").asText("*").replace("null", "*"))
        .text("kind", profile -> profile.path("kind").asText())
        .text("name", profile -> profile.path("name").asText())
        .text("device", profile -> profile.path("device").asText())
        .text(
            "model",
            profile -> profile.path("line").asText().contains(" points=") ? "inss" : "igniter")
        .text("by", profile -> profile.path("by").asText())
        .text("at", profile -> profile.path("at").asText())
        .print(profiles, console);
    return 0;
  }
}
