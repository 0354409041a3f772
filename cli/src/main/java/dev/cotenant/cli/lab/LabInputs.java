package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.cli.training.PublishedData;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.Trace;
import dev.cotenant.datasets.manifest.KnownSet;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.datasets.series.AlibabaGenAiSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.Engine;
import dev.cotenant.evaluation.compare.Table3;
import dev.cotenant.evaluation.interference.InterferenceEvaluation;
import dev.cotenant.evaluation.predictor.HybridUtilization;
import dev.cotenant.lab.Presets;
import dev.cotenant.lab.pairs.MeasuredPairs;
import dev.cotenant.lab.pairs.PairSets;
import dev.cotenant.lab.pairs.PairWorld;
import dev.cotenant.lab.training.UtilPredTable3;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.predictor.Predictor;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Outside data that users name as {@code FORMAT:PATH}, else those in the folder of published sets.
 * Each set is read once.
 */
final class LabInputs implements Presets.Inputs {
  private final List<String> named;
  private final Console console;
  private final Engine engine;
  private final Map<String, List<MeasuredPairs>> read = new HashMap<>();
  private final Set<String> used = new TreeSet<>();

  LabInputs(List<String> named, Console console, Engine engine) {
    this.named = named;
    this.console = console;
    this.engine = engine;
  }

  @Override
  public SharingDecider decider() {
    return engine.decider();
  }

  @Override
  public PairWorld pairs(String format) {
    return new PairWorld(measuredPairs(format).getFirst());
  }

  @Override
  public List<MeasuredPairs> measuredPairs(String format) {
    return read.computeIfAbsent(format, this::readPairs);
  }

  /** The sets that were read so far, as {@code FORMAT:PATH}. */
  List<String> used() {
    return List.copyOf(used);
  }

  /** The learners of {@code evaluation}: the first seed is 1. */
  @Override
  public UtilPredTable3.Errors utilizationErrors(String format) {
    List<ProfileRow> rows =
        Importers.RUNS.open(set(format, Importers.RUNS), LicenceScope.ANY).read().rows();
    return (draws, progress) ->
        new Table3(engine.devices(), 1, console::note)
            .run(
                rows,
                draws,
                List.of(new HybridUtilization(engine.devices())),
                (step, done, total) -> progress.accept(step + ", draw " + done + " of " + total));
  }

  @Override
  public List<EvaluationRow> factorErrors(int draws) {
    ColocationRows rows =
        Stream.of("igniter-solo", "igniter-pairs")
            .map(format -> Importers.COLOCATIONS.open(set(format, Importers.COLOCATIONS)).read())
            .reduce(ColocationRows.EMPTY, ColocationRows::plus);
    return new InterferenceEvaluation().linearFactor(rows, draws);
  }

  @Override
  public List<UtilizationCell> utilizations(String format) {
    String set = set(format, Importers.COLOCATIONS);
    List<UtilizationCell> cells = Importers.COLOCATIONS.open(set).read().cells();
    console.note(set + ": " + Words.count(cells.size()) + " measured utilizations");
    return cells;
  }

  @Override
  public List<List<Double>> recordedLoads(String format) {
    String set = set(format, Importers.SERIES);
    List<List<Double>> loads =
        new AlibabaGenAiSource(Path.of(set.substring(format.length() + 1))).dutyCycles();
    console.note(set + ": duty cycles of " + Words.count(loads.size()) + " pods");
    return loads;
  }

  @Override
  public List<TrainingPair> trainingPairs(String format) {
    return open(set(format, Importers.COLOCATIONS)).rows().training();
  }

  private static Trace.Pairs open(String set) {
    if (!(Importers.TRACES.open(set).get() instanceof Trace.Pairs pairs)) {
      throw InputException.invalidArgument("bad-data-set", set + " has no pairs of jobs.");
    }
    return pairs;
  }

  private List<MeasuredPairs> readPairs(String format) {
    String set = set(format, Importers.COLOCATIONS);
    Trace.Pairs pairs = open(set);
    List<MeasuredPairs> measured =
        new PairSets(engine.devices(), Predictor.builtIn()).ofShipped(pairs.rows(), pairs.graphs());
    console.note(
        set
            + ": "
            + Words.count(pairs.rows().training().size())
            + " measurements of "
            + measured.stream().mapToInt(device -> device.jobs().size()).sum()
            + " jobs, "
            + Words.count(pairs.rows().rejected().size())
            + " rejected");
    return measured;
  }

  private String set(String format, Importers<?> importers) {
    String prefix = format + ":";
    List<String> candidates =
        named.isEmpty()
            ? PublishedData.folder().map(importers::publishedIn).orElse(List.of())
            : named;
    String found =
        candidates.stream()
            .filter(set -> set.startsWith(prefix))
            .findFirst()
            .orElseThrow(() -> missing(format, importers.publishedAs(format)));
    used.add(found);
    return found;
  }

  private static InputException missing(String format, String place) {
    String origin =
        KnownSet.all().stream()
            .filter(set -> set.format().equals(format))
            .map(set -> set.file() + " from " + set.download())
            .distinct()
            .collect(Collectors.joining(", "));
    return InputException.invalidArgument(
        "no-data",
        "This preset needs the set "
            + format
            + " ("
            + origin
            + "): name it with --data "
            + format
            + ":PATH or put it at "
            + Path.of("data", place)
            + " below the folder that "
            + PublishedData.VARIABLE
            + " names.");
  }
}
