package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The standing tables: how wrong predictors are on rows they have not seen, beside baselines, and
 * how often the upper bound holds.
 *
 * <p>Everything is learned inside each training part. Every protocol is run on clean rows and on
 * all rows, and where references are known also on GPUMemNet's rows alone ({@code /gpumemnet});
 * figures are over seeds, which decide folds and draws. Bounds are checked on clean rows with the
 * first seed, draws of few rows with more; of layouts a fifth is left out at a time.
 */
public final class PredictorEvaluation {
  /** Ends the name of a protocol whose questions name a device and no host; of memory alone. */
  private static final String UNNAMED_HOST = "/unnamed-host";

  private final DeviceCatalogue catalogue;
  private final TrainingSettings settings;
  private final int seeds;

  /**
   * @param settings seed, coverage and grid; further seeds count up from its seed
   * @param seeds how many seeds, at least 1
   */
  public PredictorEvaluation(DeviceCatalogue catalogue, TrainingSettings settings, int seeds) {
    if (seeds < 1) {
      throw new IllegalArgumentException("seeds must be at least 1, is " + seeds);
    }
    this.catalogue = catalogue;
    this.settings = settings;
    this.seeds = seeds;
  }

  /** Which rows are learned from and judged by. */
  enum Selection {
    CLEAN,
    ALL;

    List<ProfileRow> of(List<ProfileRow> rows) {
      return this == ALL
          ? rows
          : rows.stream().filter(row -> row.quality() == Quality.CLEAN).toList();
    }

    String suffix() {
      return this == ALL ? "/all" : "/clean";
    }
  }

  /**
   * Evaluates on rows of fp32 training; others are left out.
   *
   * @throws dev.cotenant.domain.InputException ({@code unknown-device}) when a row ran on a device
   *     that the catalogue lacks
   */
  public List<EvaluationRow> evaluate(List<ProfileRow> all, TrainingProgress progress) {
    return evaluate(all, EnumSet.allOf(Target.class), progress);
  }

  /** As {@link #evaluate(List, TrainingProgress)}, of these targets only. */
  public List<EvaluationRow> evaluate(
      List<ProfileRow> all, Set<Target> targets, TrainingProgress progress) {
    List<ProfileRow> rows = all.stream().filter(HybridTrainer::isComparable).toList();
    References references = References.forRows(rows);
    List<ProfileRow> known = References.known(rows);
    boolean isMixed = !known.isEmpty() && known.size() < rows.size();
    List<EvaluationRow> table = new ArrayList<>();
    boolean hasMemory = targets.contains(Target.PEAK_MEMORY);
    int total =
        targets.size() * Selection.values().length * Protocol.values().length + (hasMemory ? 1 : 0);
    int done = 0;
    for (Target target : targets) {
      for (Selection selection : Selection.values()) {
        for (Protocol protocol : Protocol.values()) {
          Part part = new Part(protocol, target, selection, "");
          table.addAll(figures(part, rows, references));
          if (isMixed && protocol.isReferenced(target)) {
            Part alone = new Part(protocol, target, selection, References.KNOWN_ONLY);
            table.addAll(figures(alone, known, References.forRows(known)));
          }
          progress.advanced(target.task() + " " + protocol.label(), ++done, total);
        }
      }
    }
    if (hasMemory) {
      table.addAll(named(rows));
      progress.advanced("memory of named jobs", ++done, total);
    }
    return table;
  }

  private List<EvaluationRow> named(List<ProfileRow> rows) {
    List<ProfileRow> clean =
        Selection.CLEAN.of(rows).stream().filter(Target.PEAK_MEMORY::isMeasured).toList();
    return new NamedJobs(catalogue, settings.coverage().fraction(), settings.seed())
        .evaluate(clean, Selection.CLEAN.suffix());
  }

  /**
   * One part of the table.
   *
   * @param only what the name of the protocol says of its rows
   */
  private record Part(Protocol protocol, Target target, Selection selection, String only) {
    String name() {
      return protocol.label() + selection.suffix() + only;
    }

    /** Bounds of part of the rows would repeat those of all. */
    boolean judgesBounds() {
      return selection == Selection.CLEAN && only.isEmpty() && protocol.judgesBounds();
    }
  }

  /** What a protocol says of a target. */
  private List<EvaluationRow> figures(Part part, List<ProfileRow> rows, References references) {
    Protocol protocol = part.protocol();
    Target target = part.target();
    Figures figures = new Figures(target.task(), part.name());
    Figures unnamed = new Figures(target.task(), part.name() + UNNAMED_HOST);
    if (protocol.entersFor(target)) {
      List<ProfileRow> data =
          part.selection().of(rows).stream().filter(target::isMeasured).toList();
      run(protocol, target, data, figures);
      if (part.judgesBounds()) {
        checkBounds(part, data, figures, unnamed);
      }
    }
    List<EvaluationRow> table = new ArrayList<>(figures.rows(references));
    table.addAll(unnamed.rows(References.none()));
    return table;
  }

  private Competitor.Way way(Target target, int draw) {
    return new Competitor.Way(target, catalogue, settings.withSeed(settings.seed() + draw));
  }

  private void run(Protocol protocol, Target target, List<ProfileRow> data, Figures figures) {
    for (int i = 0; i < protocol.seeds(seeds); i++) {
      Competitor.Way way = way(target, i);
      List<Held> splits = protocol.splits(data, way.settings().seed());
      if (splits.isEmpty()) {
        return;
      }
      Map<Competitor, Double> errors = new EnumMap<>(Competitor.class);
      for (Competitor competitor : Competitor.values()) {
        if (competitor.entersFor(target)) {
          List<Score> scores = scores(competitor, splits, way);
          errors.put(competitor, Score.rmsle(scores));
          add(figures, competitor, target, scores);
        }
      }
      double gain =
          errors.getOrDefault(Competitor.FOREST, 0.0)
              - errors.getOrDefault(Competitor.LAYERED, 0.0);
      int rows = splits.stream().mapToInt(held -> held.test().size()).sum();
      figures.add(Competitor.LAYERED.label(), Figures.GAIN, gain, rows);
    }
  }

  private static List<Score> scores(Competitor competitor, List<Held> splits, Competitor.Way way) {
    return splits.parallelStream()
        .flatMap(held -> {
          Competitor.Regression regression = competitor.fit(held.training(), way);
          return held.test().stream()
              .map(row -> Score.of(row, way.target(), regression.predict(row)));
        })
        .toList();
  }

  private static void add(
      Figures figures, Competitor competitor, Target target, List<Score> scores) {
    String model = competitor.label();
    figures.add(model, "rmsle", Score.rmsle(scores), scores.size());
    figures.add(model, Score.plainMetric(target), Score.plainError(target, scores), scores.size());
    if (competitor.isOurs()) {
      addParts(figures, model, scores, Score::family);
    }
    addParts(figures, model, scores, Score::device);
    String plain = Score.plainMetric(target) + "/";
    parts(scores, Score::origin)
        .forEach((name, some) ->
            figures.add(model, plain + name, Score.plainError(target, some), some.size()));
  }

  private static void addParts(
      Figures figures, String model, List<Score> scores, Function<Score, String> part) {
    parts(scores, part)
        .forEach(
            (name, some) -> figures.add(model, "rmsle/" + name, Score.rmsle(some), some.size()));
  }

  /** None where all are one. */
  private static Map<String, List<Score>> parts(List<Score> scores, Function<Score, String> part) {
    Map<String, List<Score>> parts =
        scores.stream().collect(Collectors.groupingBy(part, TreeMap::new, Collectors.toList()));
    return parts.size() > 1 ? parts : Map.of();
  }

  private void checkBounds(Part part, List<ProfileRow> data, Figures figures, Figures unnamed) {
    BoundCheck check = new BoundCheck(settings.coverage().fraction());
    for (int i = 0; i < part.protocol().boundSeeds(); i++) {
      Competitor.Way way = way(part.target(), i);
      List<Held> splits = part.protocol().boundSplits(data, way.settings().seed());
      if (!splits.isEmpty()) {
        BoundCheck.Fitted fitted = check.fit(splits, way);
        fitted.addTo(figures, HybridFit::offsets);
        if (part.target() == Target.PEAK_MEMORY) {
          fitted.addTo(unnamed, HybridFit::offsetsOfUnnamedHost);
        }
      }
    }
  }
}
