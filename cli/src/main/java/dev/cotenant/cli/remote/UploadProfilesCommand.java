package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.engine.files.InputFiles;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Stores a profile file in a service. */
@Command(
    name = "upload",
    mixinStandardHelpOptions = true,
    description = "Stores profiles in a running service; each replaces its predecessor.")
final class UploadProfilesCommand implements Callable<Integer> {
  private static final int MAX_BYTES = 1 << 20;

  private final Console console;

  @Parameters(paramLabel = "FILE.profiles", description = "File as 'profiles fit' writes it.")
  private Path file = Path.of("");

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Mixin private ProfileNamespace namespace = new ProfileNamespace();

  UploadProfilesCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    byte[] bytes = InputFiles.read(file, "a profile file", MAX_BYTES);
    for (JsonNode profile :
        remote.service().post(namespace.path("", null), bytes, "profiles").path("profiles")) {
      console.line(
          profile.path("kind").asText()
              + " "
              + profile.path("name").asText()
              + " on "
              + profile.path("device").asText()
              + " is stored.");
    }
    return 0;
  }
}
