package dev.cotenant.cli.remote;

import dev.cotenant.admission.kubernetes.Ungate;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Ungates all pods, without any other component of Cotenant. */
@Command(
    name = "ungate",
    mixinStandardHelpOptions = true,
    description = {
      "Removes Cotenant's scheduling gate from every pod of a cluster.",
      "The scheduler then places them. A running controller and registered webhooks gate new pods"
          + " again."
    })
public final class UngateCommand implements Callable<Integer> {
  private final Console console;

  @SuppressWarnings("unused") // that it is required says it all
  @Option(names = "--all", required = true, description = "In every namespace.")
  private boolean all;

  @Option(
      names = "--webhooks",
      paramLabel = "NAME",
      description =
          "Before that, deletes the webhook configurations of this name: no further pod is gated,"
              + " and every user may remove gates.")
  private @Nullable String webhooks;

  @Option(names = "--dry-run", description = "Only lists gated pods.")
  private boolean dryRun;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "kubeconfig file (default: that of kubectl).")
  private @Nullable Path kubeconfig;

  @Option(names = "--json", description = "JSON output.")
  private boolean json;

  public UngateCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (!all) { // as --all=false says
      throw InputException.invalidArgument("not-all", "Only --all can be ungated.");
    }
    try (ApiServer server =
        ApiServer.of(Optional.ofNullable(kubeconfig), ApiServer.DEFAULT_TIMEOUT)) {
      if (server.isAssumed()) {
        throw InputException.notFound(
            "no-kubeconfig",
            "No kubeconfig names a cluster: give one with --kubeconfig FILE or $KUBECONFIG.");
      }
      Ungate ungate = new Ungate(server);
      if (webhooks != null && !dryRun) {
        ungate.removeWebhooks(webhooks);
      }
      return dryRun ? list(ungate.gatedPods()) : report(ungate.ungateAll());
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "no-cluster",
          "A call to the API server failed: " + e.getMessage() + ".",
          e);
    }
  }

  private int list(List<String> gated) {
    if (json) {
      console.json(Map.of("gated", gated));
      return 0;
    }
    gated.forEach(console::line);
    console.line(gated.isEmpty() ? "No pod is gated." : count(gated.size()) + " would be ungated.");
    return 0;
  }

  private int report(Ungate.Report report) {
    if (json) {
      console.json(
          Map.of(
              "ungated", report.ungated(),
              "gone", report.gone(),
              "still_gated", report.failures().size()));
    } else {
      console.line(count(report.ungated()) + " ungated, " + report.gone() + " already gone.");
    }
    report.failures().forEach(console::error);
    return report.isComplete() ? 0 : Failures.JOB_FAILED;
  }

  private static String count(int pods) {
    return pods == 1 ? "1 pod" : pods + " pods";
  }
}
