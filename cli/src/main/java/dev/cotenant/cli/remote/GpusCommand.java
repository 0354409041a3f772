package dev.cotenant.cli.remote;

import dev.cotenant.cli.terminal.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** GPUs of a service with their tenants. */
@Command(
    name = "gpus",
    mixinStandardHelpOptions = true,
    description = "Lists the GPUs of a running service with their tenants, grants included.")
public final class GpusCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Mixin private NamespaceOption namespace = new NamespaceOption();

  @Option(names = "--json", description = "JSON output, one object per GPU.")
  private boolean json;

  public GpusCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    String path = "/v1/gpus" + namespace.query('?');
    if (json) {
      remote.service().get(path, "gpus").path("gpus").forEach(console::json);
    } else {
      console.text(remote.service().text(path, console.width()));
    }
    return 0;
  }
}
