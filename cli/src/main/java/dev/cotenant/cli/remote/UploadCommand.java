package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.engine.files.InputFiles;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends a predictor's file to a service, where it waits for its promotion. */
@Command(
    name = "upload",
    mixinStandardHelpOptions = true,
    description = {
      "Uploads a predictor to a running service.",
      "It is the predictor.model of train, or a ZIP archive of a regressor's manifest.yaml and"
          + " model. It serves once it is promoted."
    })
public final class UploadCommand implements Callable<Integer> {
  private static final int MAX_BYTES = 16 << 20;

  private final Console console;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Parameters(paramLabel = "FILE", description = "At most 16 MiB.")
  private Path file = Path.of("");

  @Option(names = "--json", description = "JSON output.")
  private boolean json;

  public UploadCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    byte[] bytes = InputFiles.read(file, "a predictor", MAX_BYTES);
    JsonNode version = remote.service().post("/v1/predictors", bytes, "version");
    if (json) {
      console.json(version);
    } else {
      String label = version.path("version").asText();
      console.line(
          label
              + " ("
              + version.path("kind").asText()
              + "): promote it with POST /v1/predictors/"
              + label
              + "/promotion.");
    }
    return 0;
  }
}
