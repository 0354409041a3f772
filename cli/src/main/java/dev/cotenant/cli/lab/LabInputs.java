package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.cli.training.PublishedData;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.Trace;
import dev.cotenant.datasets.manifest.KnownSet;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.Engine;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.simulator.lab.Presets;
import dev.cotenant.simulator.pairs.PairSets;
import dev.cotenant.simulator.pairs.PairWorld;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Outside data that users name as {@code FORMAT:PATH}, else those in the folder of published sets.
 * Each set is read once.
 */
final class LabInputs implements Presets.Inputs {
  private final List<String> named;
  private final Console console;
  private final Engine engine;
  private final Map<String, PairWorld> read = new HashMap<>();

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
    return read.computeIfAbsent(format, this::readPairs);
  }

  private PairWorld readPairs(String format) {
    String set = set(format);
    if (!(Importers.TRACES.open(set).get() instanceof Trace.Pairs pairs)) {
      throw InputException.invalidArgument("bad-data-set", set + " has no pairs of jobs.");
    }
    PairWorld world =
        new PairWorld(
            new PairSets(engine.devices(), Predictor.builtIn())
                .ofShipped(pairs.rows(), pairs.graphs())
                .getFirst());
    console.note(
        set
            + ": "
            + Words.count(pairs.rows().training().size())
            + " measurements of "
            + world.configurations().size()
            + " jobs, "
            + Words.count(pairs.rows().rejected().size())
            + " rejected");
    return world;
  }

  private String set(String format) {
    String prefix = format + ":";
    List<String> candidates =
        named.isEmpty()
            ? PublishedData.folder().map(Importers.COLOCATIONS::publishedIn).orElse(List.of())
            : named;
    return candidates.stream()
        .filter(set -> set.startsWith(prefix))
        .findFirst()
        .orElseThrow(() -> missing(format));
  }

  private static InputException missing(String format) {
    String place =
        Optional.of(format).filter("lucid-pairs"::equals).map(_ -> "lucid").orElse(format);
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
