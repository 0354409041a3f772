package dev.cotenant.cli.service;

import dev.cotenant.cli.demo.DemoCluster;
import dev.cotenant.cli.files.Directories;
import dev.cotenant.cli.files.Installation;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.engine.Engine;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The service on a recorded cluster, and sample pods through its webhook. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Runs the service on a simulated, busy cluster with sample pods.",
      "They go through its webhook, the decision for each is shown, and how it goes on: pods end,"
          + " others get in, and a training is measured, joined and protected. Ctrl-C ends it."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final Duration START_LIMIT = Duration.ofSeconds(90);

  private static final Duration POLL = Duration.ofMillis(200);

  /** A terminal's Ctrl-C reaches the service as soon as us: time to see whether it was that. */
  private static final Duration SIGNAL_SLACK = Duration.ofMillis(700);

  private final Console console;
  private final Supplier<Engine> engine;
  private final Installation installation;
  private volatile boolean ending;

  @Mixin private ServiceOptions options = new ServiceOptions();

  public DemoCommand(Console console, Supplier<Engine> engine, Installation installation) {
    this.console = console;
    this.engine = engine;
    this.installation = installation;
  }

  @Override
  public Integer call() throws IOException, GeneralSecurityException, InterruptedException {
    options.requireFreePorts();
    List<PodManifest> pods = PodManifest.readAll(installation.samplePods());
    Path data = installation.demoData(options.port());
    Directories.delete(data);
    try (DemoCluster cluster =
        new DemoCluster(
            engine.get().readCluster(installation.busyCluster()), InstantSource.system())) {
      return run(cluster, data, pods);
    }
  }

  private int run(DemoCluster cluster, Path data, List<PodManifest> pods)
      throws IOException, GeneralSecurityException, InterruptedException {
    ServiceProcess service =
        ServiceProcess.start(
            new ServiceArguments(installation, options)
                .demoCluster(cluster.metricsUrl(), cluster.kubeconfig(data))
                .models(installation.models())
                .data(data)
                .ofSupervised());
    Thread hook = new Thread(() -> endCleanly(service), "end of demo");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return play(service, cluster, data, pods);
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

  private int play(
      ServiceProcess service, DemoCluster cluster, Path data, List<PodManifest> manifests)
      throws IOException, GeneralSecurityException, InterruptedException {
    try (ServiceClient client = new ServiceClient(options)) {
      if (!awaitReady(service, client)) {
        return died(service, "the service did not start");
      }
      DemoPods pods = new DemoPods(client, cluster, data);
      new DemoReport(console, pods).send(manifests);
      console.line("");
      console.line(
          "Devices, tenants and decisions are at http://localhost:"
              + options.port()
              + "/ until Ctrl-C ends the demo.");
      console.line("");
      new DemoStory(console, cluster, pods).play();
    } catch (IOException e) {
      return died(service, "the demo cannot go on: " + e.getMessage());
    }
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
