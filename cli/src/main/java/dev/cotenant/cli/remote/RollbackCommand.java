package dev.cotenant.cli.remote;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.cotenant.cli.terminal.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lets the version before serve again. */
@Command(
    name = "rollback",
    mixinStandardHelpOptions = true,
    description = "Rolls back to the previous version of the predictor in a running service.")
public final class RollbackCommand implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "REASON",
      description = "Reason; it is recorded.")
  private String reason = "";

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Option(names = "--json", description = "JSON output.")
  private boolean json;

  public RollbackCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    String body = JsonNodeFactory.instance.objectNode().put("reason", reason).toString();
    PromoteCommand.print(
        console, json, remote.service().post("/v1/predictors/rollback", body, "sha256"));
    return 0;
  }
}
