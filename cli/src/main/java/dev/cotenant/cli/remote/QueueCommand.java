package dev.cotenant.cli.remote;

import dev.cotenant.cli.terminal.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The pods that a service holds. */
@Command(
    name = "queue",
    mixinStandardHelpOptions = true,
    description = "Lists gated pods of a running service in queue order.")
public final class QueueCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Mixin private NamespaceOption namespace = new NamespaceOption();

  @Option(names = "--json", description = "JSON output, one object per pod.")
  private boolean json;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Maximum number of pods (default 100).")
  private int limit;

  public QueueCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    String path = "/v1/queue?limit=" + Math.max(1, limit) + namespace.query('&');
    if (json) {
      remote.service().get(path, "waiting").path("waiting").forEach(console::json);
    } else {
      console.text(remote.service().text(path, console.width()));
    }
    return 0;
  }
}
