package dev.cotenant.cli.service;

import dev.cotenant.cli.demo.DemoAddress;
import dev.cotenant.cli.demo.DemoCluster;
import dev.cotenant.cli.files.Directories;
import dev.cotenant.cli.files.Installation;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.engine.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The service on a recorded cluster, and sample pods through its webhook. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Runs the service on a simulated, busy cluster with sample pods.",
      "They pass its webhook, which shows the decision for each. Then pods end, others get grants,"
          + " and a training is measured, shares its GPU and is protected by the guard. Ctrl-C"
          + " ends the demo."
    })
public final class DemoCommand implements Callable<Integer> {
  /** On a busy machine, and without a cache of classes. */
  private static final Duration START_LIMIT = Duration.ofMinutes(5);

  /** For writing the classes of the service. */
  private static final Duration CACHE_LIMIT = Duration.ofMinutes(5);

  private static final Duration POLL = Duration.ofMillis(100);

  /** A terminal's Ctrl-C reaches the service as soon as us: time to see whether it was that. */
  private static final Duration SIGNAL_SLACK = Duration.ofMillis(700);

  private final Console console;
  private final Supplier<Engine> engine;
  private final Installation installation;
  private final Supplier<Optional<Path>> devices;
  private volatile boolean ending;

  @Mixin private ServiceOptions options = new ServiceOptions();

  @Option(
      names = "--service-cache",
      hidden = true,
      description = "File for the service's archive of classes; ends the demo after its table.")
  private @Nullable Path serviceCache;

  /** {@code devices} is the file of the user's own GPUs. */
  public DemoCommand(
      Console console,
      Supplier<Engine> engine,
      Installation installation,
      Supplier<Optional<Path>> devices) {
    this.console = console;
    this.engine = engine;
    this.installation = installation;
    this.devices = devices;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.requireFreePorts();
    if (serviceCache != null) {
      return train(serviceCache);
    }
    Path data = installation.demoData(options.port());
    Directories.clear(data, ServiceClient.CERTIFICATE_FILE); // which takes long to make
    return run(data, ServiceArguments::ofSupervised);
  }

  private int train(Path cache) throws IOException, InterruptedException {
    Path data = Files.createTempDirectory("cotenant-demo");
    try {
      return run(data, arguments -> arguments.ofTraining(cache));
    } finally {
      Directories.delete(data);
    }
  }

  /** The service takes the longest: it starts before anything else is read. */
  private int run(Path data, Function<ServiceArguments, List<String>> java)
      throws IOException, InterruptedException {
    try (DemoAddress address = new DemoAddress()) {
      ServiceArguments arguments =
          new ServiceArguments(installation, options)
              .demoCluster(address.metricsUrl(), address.kubeconfig(data))
              .models(installation.models())
              .data(data);
      devices.get().ifPresent(arguments::devices);
      return run(ServiceProcess.start(java.apply(arguments)), address, data);
    }
  }

  private int run(ServiceProcess service, DemoAddress address, Path data)
      throws IOException, InterruptedException {
    Thread hook = new Thread(() -> endCleanly(service), "end of demo");
    Runtime.getRuntime().addShutdownHook(hook);
    try (DemoCluster cluster =
        new DemoCluster(
            address,
            engine.get().readCluster(installation.busyCluster()),
            InstantSource.system())) {
      return play(service, cluster, data);
    } finally {
      if (!ending) {
        Runtime.getRuntime().removeShutdownHook(hook);
        stop(service);
      }
    }
  }

  /** Ctrl-C and SIGTERM are how a demo is meant to end, so its exit code is 0. */
  private void endCleanly(ServiceProcess service) {
    ending = true;
    service.stop();
    Runtime.getRuntime().halt(0);
  }

  private int play(ServiceProcess service, DemoCluster cluster, Path data)
      throws IOException, InterruptedException {
    List<PodManifest> manifests = PodManifest.readAll(installation.samplePods());
    try (ServiceClient client = new ServiceClient(options)) {
      if (!awaitReady(service, client)) {
        return died(service, "the service did not start");
      }
      DemoPods pods = new DemoPods(client, cluster, data);
      new DemoReport(console, pods).send(manifests);
      if (serviceCache != null) {
        stop(service);
        service.lastLines().forEach(console::note);
        return 0;
      }
      console.line("");
      console.line(
          "Devices, tenants and decisions are at http://localhost:"
              + options.port()
              + "/ until Ctrl-C ends the demo.");
      console.line("");
      client.watch("shop", installation.watchedFleet());
      new DemoStory(console, cluster, pods).play();
    } catch (IOException e) {
      return died(service, "the demo cannot continue: " + e.getMessage());
    }
    int exitCode = service.waitFor();
    return died(service, "the service ended with exit code " + exitCode);
  }

  private void stop(ServiceProcess service) {
    if (serviceCache == null) {
      service.stop();
    } else {
      service.stop(CACHE_LIMIT);
    }
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
