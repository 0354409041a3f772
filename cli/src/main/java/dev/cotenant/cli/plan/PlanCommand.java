package dev.cotenant.cli.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.cli.files.YamlFile;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Failures;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.fleet.FleetLoop;
import dev.cotenant.engine.fleet.FleetView;
import dev.cotenant.engine.fleet.WatchedFleet;
import dev.cotenant.engine.plan.FleetDocument;
import dev.cotenant.engine.plan.FleetPlanRequest;
import dev.cotenant.engine.plan.FleetPlanner;
import dev.cotenant.engine.plan.PlanView;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileFile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which GPU, which share and which batch for every workload of a fleet, and what it costs. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    description = "Plans a fleet: GPU, share and batch of each workload, and the cost.")
public final class PlanCommand implements Callable<Integer> {
  private final Console console;
  private final Supplier<Engine> engine;
  private final Periods periods;

  @Parameters(
      paramLabel = "FILE.yaml",
      description = "Devices, workloads and jobs; docs/planning.md describes it.")
  private Path file = Path.of("");

  @Option(
      names = "--strategy",
      paramLabel = "NAME",
      description = "Planning strategy, or 'all' (default best, with --gpus most-throughput).")
  private @Nullable String strategy;

  @Option(
      names = "--gpus",
      paramLabel = "K",
      description = "Number of GPUs of the plan's one device, whose throughput is maximised.")
  private @Nullable Integer gpus;

  @Option(
      names = "--profiles",
      paramLabel = "FILE",
      description = "Your own profiles of devices and workloads, in addition to the built-in ones.")
  private @Nullable Path profiles;

  @Option(
      names = "--json",
      description = "JSON output, one object per strategy or, watching, per period.")
  private boolean json;

  @Mixin private WatchOptions watch = new WatchOptions();

  public PlanCommand(Console console, Supplier<Engine> engine, Periods periods) {
    this.console = console;
    this.engine = engine;
    this.periods = periods;
  }

  @Override
  public Integer call() throws InterruptedException {
    JsonNode document = YamlFile.read(file, "a plan file");
    FleetPlanner planning = FleetPlanner.of(engine.get(), book());
    if (watch.isOn()) {
      return watch(planning, FleetDocument.of(document, file.toString()));
    }
    String wanted = strategy == null ? planning.strategies().defaultName(gpus != null) : strategy;
    planning.strategies().check(wanted);
    Map<String, GraphFeatures> read = new HashMap<>();
    FleetPlanRequest request =
        planning.understand(
            FleetDocument.of(document, file.toString()),
            (model, batch) ->
                read.computeIfAbsent(model + "\n" + batch, _ -> features(model, batch)),
            file.toString());
    if (gpus != null) {
      request = request.on(gpus);
    }
    request.refused().forEach(refused -> console.error(refused.problem()));
    List<PlanView> plans = planning.plan(request, wanted);
    if (json) {
      plans.forEach(console::json);
    } else if (plans.size() == 1) {
      new PlanTable(console).print(plans.getFirst());
    } else {
      new PlanTable(console).compare(plans);
    }
    return request.refused().isEmpty() ? 0 : Failures.JOB_FAILED;
  }

  private int watch(FleetPlanner planning, FleetDocument document) throws InterruptedException {
    if (strategy != null || gpus != null) {
      throw InputException.invalidArgument(
          "bad-watch", "--watch selects the plan itself: leave out --strategy and --gpus.");
    }
    PrometheusSettings server = watch.server();
    WatchedFleet fleet = WatchedFleet.of(planning, document, this::features, file.toString());
    try (FleetLoop loop = FleetLoop.of(fleet, server)) {
      FleetView view = null;
      for (int i = 0; watch.goesOn(i); i++) {
        view = loop.step(periods.next(watch.every(), i == 0));
        if (json) {
          console.json(view);
        } else {
          new FleetTable(console).print(view);
        }
      }
      boolean isServed = view != null && view.shortfalls().isEmpty();
      return isServed ? 0 : Failures.JOB_FAILED;
    }
  }

  /** A model's file stands beside the plan's unless its path is absolute. */
  private GraphFeatures features(String model, int batch) {
    return engine.get().inspect(file.resolveSibling(model), batch, Map.of());
  }

  private ProfileBook book() {
    ProfileBook builtIn = ProfileBook.builtIn();
    return profiles == null ? builtIn : ProfileFile.read(profiles).plus(builtIn);
  }
}
