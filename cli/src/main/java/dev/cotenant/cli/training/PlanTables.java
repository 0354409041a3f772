package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.colocation.GpuLetsSource;
import dev.cotenant.datasets.planning.WorkloadSet;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.engine.plan.Strategies;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.interference.profile.ServedWorkload;
import dev.cotenant.lab.gpulets.GletScenarios;
import dev.cotenant.lab.plans.FleetTables;
import dev.cotenant.lab.plans.IgniterFleets;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.search.Best;
import dev.cotenant.placement.search.Settings;
import dev.cotenant.zoo.ModelZoo;
import dev.cotenant.zoo.layers.InputShape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How many GPUs each strategy needs, and whether requests keep their objectives on them. */
final class PlanTables {
  static final String TASK = "plan";

  private static final double HEADROOM = 0.05;
  private static final int MANY = 12;
  private static final int IMAGE = 224;
  private static final double NANOS_PER_MILLI = 1e6;

  private PlanTables() {}

  /** Fleets with their names, and the number of GPUs that their source's planner used. */
  private record Sets(List<String> names, List<Fleet> fleets, List<Integer> gpus) {}

  /**
   * The standing tables on these sets, {@code igniter-plans:FILE}, or on those under the data
   * folder.
   */
  static List<EvaluationRow> standing(List<String> data, long seed, Console console) {
    Sets sets = sets(data, console);
    FleetTables tables = new FleetTables(System::nanoTime);
    List<ServicePlanner> strategies = new ArrayList<>(Strategies.published());
    strategies.addFirst(new Best(Settings.defaults(), Strategies.published()));
    List<EvaluationRow> rows = new ArrayList<>();
    console.note("planning " + sets.fleets().size() + " sets under constant arrivals");
    constant(rows, "constant", sets, tables.constant(sets.fleets(), strategies));
    console.note("again with 5 % more throughput than requests");
    Best spare = new Best(Settings.defaults().withHeadroom(HEADROOM), List.of());
    constant(rows, "constant-5-percent", sets, tables.constant(sets.fleets(), List.of(spare)));
    console.note("again under Poisson arrivals");
    poisson(
        rows,
        sets,
        tables.poisson(sets.fleets(), strategies.subList(0, 1), Strategies.published(), seed));
    PublishedData.folder()
        .map(folder -> folder.resolve("glet/2080ti"))
        .filter(folder -> data.isEmpty() && Files.isDirectory(folder))
        .ifPresent(folder -> {
          console.note("scheduling the 1,023 scenarios of gpu-lets");
          rows.addAll(scenarios(folder));
        });
    return rows;
  }

  /**
   * gpu-lets' five models on its GPU: graphs of the zoo, utilizations that its authors measured.
   */
  private static List<EvaluationRow> scenarios(Path folder) {
    Map<String, GraphWork> works = new TreeMap<>();
    works.put("lenet", work("lenet", 28));
    works.put("googlenet", work("googlenet", IMAGE));
    works.put("resnet50", work("resnet50", IMAGE));
    works.put("ssd-mobilenetv1", work("ssd_mobilenet_v1", 300));
    works.put("vgg16", work("vgg16", IMAGE));
    return new GletScenarios(
            works,
            new GpuLetsSource(folder).read().cells(),
            DeviceCatalogue.builtIn().require("rtx-2080ti"))
        .rows();
  }

  private static GraphWork work(String network, int pixels) {
    byte[] graph = ModelZoo.build(network, InputShape.Image.square(pixels));
    OnnxGraphReader reader = new OnnxGraphReader(ReaderLimits.DEFAULT);
    return GraphWork.of(
        new FeatureExtractor().extract(reader.read(graph, network), GraphBinding.NONE).model());
  }

  private static Sets sets(List<String> data, Console console) {
    Sets sets = new Sets(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    List<String> files = DataSets.orPublished(data, Importers.PLANS);
    for (String file : files) {
      List<WorkloadSet> read = Importers.PLANS.open(file).read();
      console.note(file + ": " + read.size() + " sets");
      for (WorkloadSet set : read) {
        sets.names().add(set.name());
        sets.fleets().add(IgniterFleets.of(served(set)));
        sets.gpus().add(set.gpus());
      }
    }
    if (files.isEmpty()) {
      throw InputException.invalidArgument(
          "no-data",
          "There are no sets to plan: name one with --data igniter-plans:FILE, or use './cotenant"
              + " lab run igniter-plans' for the twelve workloads of the iGniter paper.");
    }
    return sets;
  }

  private static List<ServedWorkload> served(WorkloadSet set) {
    List<ServedWorkload> served = new ArrayList<>();
    for (WorkloadSet.Workload workload : set.workloads()) {
      served.add(
          new ServedWorkload(
              "w" + served.size(),
              workload.model(),
              workload.sloMillis(),
              workload.requestsPerSecond()));
    }
    return served;
  }

  private static void constant(
      List<EvaluationRow> rows, String protocol, Sets sets, List<FleetTables.Row> figures) {
    for (FleetTables.Row row : figures) {
      Subject of =
          new Subject(protocol + "/" + sets.names().get(row.set()), row.strategy(), row.services());
      boolean source = row.strategy().equals("igniter");
      rows.add(of.figure("gpus", row.gpus(), source ? (double) sets.gpus().get(row.set()) : null));
      row.lowerBoundGpus().ifPresent(bound -> rows.add(of.figure("lower_bound_gpus", bound, null)));
      rows.add(of.figure("violations", row.violations(), null));
      rows.add(of.figure("unplaced", row.unplaced(), null));
      rows.add(of.figure("faults", row.faults(), 0.0));
      rows.add(of.figure("elapsed_ms", row.elapsed().toNanos() / NANOS_PER_MILLI, null));
    }
    List<FleetTables.Row> large = figures.stream().filter(row -> row.services() >= MANY).toList();
    double igniter = 0;
    for (int i = 0; i < sets.gpus().size(); i++) {
      igniter += sets.fleets().get(i).services().size() >= MANY ? sets.gpus().get(i) : 0;
    }
    for (FleetTables.Total total : FleetTables.totals(large)) {
      Subject of = new Subject(protocol + "/all-of-12-or-more", total.strategy(), total.services());
      rows.add(of.figure("gpus", total.gpus(), igniter));
      rows.add(of.figure("lower_bound_gpus", total.lowerBoundGpus(), null));
      rows.add(of.figure("violations", total.violations(), null));
    }
  }

  private static void poisson(
      List<EvaluationRow> rows, Sets sets, List<FleetTables.QueueRow> figures) {
    for (FleetTables.QueueRow row : figures) {
      Subject of =
          new Subject("poisson/" + sets.names().get(row.set()), row.strategy(), row.services());
      rows.add(of.figure("gpus", row.gpus(), null));
      rows.add(of.figure("met", row.met(), null));
      rows.add(of.figure("planned_rate_factor", row.rateFactor(), null));
      rows.add(of.figure("planned_slo_factor", row.sloFactor(), null));
    }
    for (FleetTables.Total total : FleetTables.queueTotals(figures)) {
      Subject of = new Subject("poisson/all", total.strategy(), total.services());
      rows.add(of.figure("gpus", total.gpus(), null));
      rows.add(of.figure("missed", total.violations(), null));
    }
  }

  private record Subject(String protocol, String strategy, int services) {
    EvaluationRow figure(String metric, double value, @Nullable Double reference) {
      return EvaluationRow.overSeeds(
          new EvaluationRow.Subject(TASK, protocol, strategy, metric),
          new double[] {value},
          services,
          reference);
    }
  }
}
