package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.cli.terminal.Console;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets a version of the predictor serve. */
@Command(
    name = "promote",
    mixinStandardHelpOptions = true,
    description = {
      "Promotes a version of the predictor in a running service.",
      "It has to be better than the active version on the measured runs held out from trainings."
    })
public final class PromoteCommand implements Callable<Integer> {
  private final Console console;

  @Parameters(paramLabel = "VERSION", description = "Name or SHA-256 of a version.")
  private String version = "";

  @Option(
      names = "--override",
      paramLabel = "REASON",
      description = "Promotes it without the comparison; the reason is recorded.")
  private @Nullable String override;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Option(names = "--json", description = "JSON output.")
  private boolean json;

  public PromoteCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    if (override != null) {
      body.put("override_reason", override);
    }
    String path = "/v1/predictors/" + RemoteService.escaped(version) + "/promotion";
    print(console, json, remote.service().post(path, body.toString(), "sha256"));
    return 0;
  }

  static void print(Console console, boolean json, JsonNode promotion) {
    if (json) {
      console.json(promotion);
    } else {
      console.line(
          "Promotion "
              + promotion.path("number").asText()
              + ": sha256:"
              + promotion.path("sha256").asText()
              + " serves ("
              + promotion.path("reason").asText()
              + ").");
    }
  }
}
