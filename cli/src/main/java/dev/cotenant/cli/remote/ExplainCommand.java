package dev.cotenant.cli.remote;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.InputException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Why a pod waits, or its grant. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    description = "Explains why a pod waits, or its grant, from a running service.")
public final class ExplainCommand implements Callable<Integer> {
  private static final String PREFIX = "pod/";

  private final Console console;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Parameters(index = "0", paramLabel = "pod/NAME", description = "The pod.")
  private String pod = "";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      defaultValue = "default",
      description = "Its namespace (default: default).")
  private String namespace = "";

  @Option(names = "--json", description = "JSON output.")
  private boolean json;

  public ExplainCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    String path =
        "/v1/explain/" + RemoteService.escaped(namespace) + "/" + RemoteService.escaped(name());
    if (json) {
      console.json(remote.service().get(path, "state"));
    } else {
      console.text(remote.service().text(path, console.width()));
    }
    return 0;
  }

  private String name() {
    String name = pod.startsWith(PREFIX) ? pod.substring(PREFIX.length()) : pod;
    if (name.isEmpty() || name.contains("/")) {
      throw InputException.invalidArgument(
          "bad-pod", "Name a pod as pod/NAME, and its namespace with -n; '" + pod + "' is none.");
    }
    return name;
  }
}
