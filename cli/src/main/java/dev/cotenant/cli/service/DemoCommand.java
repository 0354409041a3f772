package dev.cotenant.cli.service;

import dev.cotenant.cli.files.Directories;
import dev.cotenant.cli.files.Installation;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import dev.cotenant.cli.terminal.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The service on a recorded cluster, and sample pods through its webhook. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Runs the service on a recorded, busy cluster with sample pods.",
      "They go through its webhook, and the decision for each is shown. Ctrl-C ends it."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Duration START_LIMIT = Duration.ofSeconds(90);

  /** No kubelet starts the sample pods. */
  private static final Duration GRANTS_STAND = Duration.ofDays(365);

  private static final Duration POLL = Duration.ofMillis(200);

  /** A terminal's Ctrl-C reaches the service as soon as us: time to see whether it was that. */
  private static final Duration SIGNAL_SLACK = Duration.ofMillis(700);

  private final Console console;
  private final Installation installation;
  private volatile boolean ending;

  @Mixin private ServiceOptions options = new ServiceOptions();

  public DemoCommand(Console console, Installation installation) {
    this.console = console;
    this.installation = installation;
  }

  @Override
  public Integer call() throws IOException, GeneralSecurityException, InterruptedException {
    options.requireFreePorts();
    List<PodManifest> pods = PodManifest.readAll(installation.samplePods());
    Path data = installation.demoData(options.port());
    Directories.delete(data);
    ServiceProcess service =
        ServiceProcess.start(
            new ServiceArguments(installation, options)
                .recordedCluster(installation.busyCluster())
                .models(installation.models())
                .data(data)
                .allocatedTtl(GRANTS_STAND)
                .ofSupervised());
    Thread hook = new Thread(() -> endCleanly(service), "end of demo");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return play(service, data, pods);
    } finally {
      if (!ending) {
        Runtime.getRuntime().removeShutdownHook(hook);
        service.stop();
      }
    }
  }

  /** Ctrl-C and SIGTERM are how a demo is meant to end, so its exit code is 0. */
  private void endCleanly(ServiceProcess service) {
    ending = true;
    service.stop();
    Runtime.getRuntime().halt(0);
  }

  private int play(ServiceProcess service, Path data, List<PodManifest> pods)
      throws IOException, GeneralSecurityException, InterruptedException {
    try (ServiceClient client = new ServiceClient(options)) {
      if (!awaitReady(service, client)) {
        return died(service, "the service did not start");
      }
      new DemoReport(console, client, data).send(pods);
    }
    console.line("");
    console.line(
        "Devices, tenants and decisions are at http://localhost:"
            + options.port()
            + "/ until Ctrl-C ends the demo.");
    int exitCode = service.waitFor();
    return died(service, "the service ended with exit code " + exitCode);
  }

  private boolean awaitReady(ServiceProcess service, ServiceClient client)
      throws InterruptedException {
    try (Progress progress = console.progress("Starting the service")) {
      while (service.isAlive() && progress.elapsed().compareTo(START_LIMIT) < 0) {
        progress.step("");
        if (client.isReady()) {
          return true;
        }
        Thread.sleep(POLL);
      }
      return false;
    }
  }

  private int died(ServiceProcess service, String what) throws InterruptedException {
    Thread.sleep(SIGNAL_SLACK);
    if (ending) {
      Thread.currentThread().join(); // the end of the demo ends this process
    }
    service.lastLines().forEach(console::note);
    console.error(what + "; its last lines are above.");
    return Failures.JOB_FAILED;
  }
}
