package dev.cotenant.cli.remote;

import dev.cotenant.cli.terminal.Console;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes stored profiles. */
@Command(
    name = "delete",
    mixinStandardHelpOptions = true,
    description = "Deletes the profiles of a name from a running service.")
final class DeleteProfilesCommand implements Callable<Integer> {
  private final Console console;

  @Parameters(paramLabel = "NAME", description = "Name of a profile.")
  private String name = "";

  @Option(
      names = "--device",
      paramLabel = "ID",
      description = "Only on this device (default: all).")
  private @Nullable String device;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Mixin private ProfileNamespace namespace = new ProfileNamespace();

  DeleteProfilesCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    int deleted =
        remote.service().delete(namespace.path(name, device), "deleted").path("deleted").asInt();
    console.line(deleted == 1 ? "1 profile is deleted." : deleted + " profiles are deleted.");
    return 0;
  }
}
