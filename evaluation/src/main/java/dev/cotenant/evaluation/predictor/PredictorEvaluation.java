package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.References;
import dev.cotenant.evaluation.learner.ForestSettings;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.hybrid.HybridTrainer;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.Folds;
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
  /** Ends the name of a protocol whose requests name a device and no host; of memory alone. */
  private static final String UNNAMED_HOST = "/unnamed-host";

  private final DeviceCatalogue catalogue;
  private final TrainingSettings settings;
  private final int seeds;
  private final Cost cost;

  /**
   * @param settings seed, coverage and learner; further seeds count up from its seed
   * @param seeds how many seeds, at least 1
   */
  public PredictorEvaluation(DeviceCatalogue catalogue, TrainingSettings settings, int seeds) {
    this(catalogue, settings, seeds, new Cost(ForestSettings.STANDARD, Integer.MAX_VALUE));
  }

  /**
   * What an evaluation may cost.
   *
   * @param grid the settings that the random forest chooses from
   * @param maxSeeds of a protocol, whatever it takes at least
   */
  record Cost(List<ForestSettings> grid, int maxSeeds) {
    Cost {
      grid = List.copyOf(grid);
    }
  }

  PredictorEvaluation(DeviceCatalogue catalogue, TrainingSettings settings, int seeds, Cost cost) {
    if (seeds < 1) {
      throw new IllegalArgumentException("seeds must be at least 1, is " + seeds);
    }
    this.catalogue = catalogue;
    this.settings = settings;
    this.seeds = seeds;
    this.cost = cost;
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
    References references = Gpumemnet.references(rows);
    List<ProfileRow> known = Gpumemnet.among(rows);
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
            Part alone = new Part(protocol, target, selection, Gpumemnet.ONLY);
            table.addAll(figures(alone, known, Gpumemnet.references(known)));
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
      return selection == Selection.CLEAN && only.isEmpty() && protocol.boundSeeds() > 0;
    }
  }

  /** What a protocol says of a target. */
  private List<EvaluationRow> figures(Part part, List<ProfileRow> rows, References references) {
    Protocol protocol = part.protocol();
    Target target = part.target();
    Figures figures = new Figures(target.task(), references);
    Figures.Sheet named = figures.under(part.name());
    Figures.Sheet unnamed = figures.under(part.name() + UNNAMED_HOST);
    if (protocol.entersFor(target)) {
      List<ProfileRow> data =
          part.selection().of(rows).stream().filter(target::isMeasured).toList();
      run(protocol, target, data, named);
      if (part.judgesBounds()) {
        checkBounds(part, data, named, unnamed);
      }
    }
    return GainInterval.added(figures.rows());
  }

  private Competitor.Way way(Target target, int draw) {
    return new Competitor.Way(
        target, catalogue, settings.withSeed(settings.seed() + draw), cost.grid());
  }

  private void run(Protocol protocol, Target target, List<ProfileRow> data, Figures.Sheet figures) {
    for (int i = 0; i < Math.min(protocol.seeds(seeds), cost.maxSeeds()); i++) {
      Competitor.Way way = way(target, i);
      List<HoldOut> splits = HoldOut.judging(protocol.splits(data, way.settings().seed()), target);
      if (splits.isEmpty()) {
        return;
      }
      Map<Competitor, Double> errors = new EnumMap<>(Competitor.class);
      for (Competitor competitor : Competitor.values()) {
        if (competitor.entersFor(target)) {
          List<RowScore> scores = scores(competitor, splits, way);
          errors.put(competitor, LogErrors.rmsle(RowScore.all(scores)));
          add(figures, competitor, target, scores);
        }
      }
      double gain =
          errors.getOrDefault(Competitor.FOREST, 0.0) - errors.getOrDefault(Competitor.HYBRID, 0.0);
      int rows = splits.stream().mapToInt(held -> held.test().size()).sum();
      figures.add(Competitor.HYBRID.label(), GainInterval.GAIN, gain, rows);
    }
  }

  private static List<RowScore> scores(
      Competitor competitor, List<HoldOut> splits, Competitor.Way way) {
    return splits.parallelStream()
        .flatMap(held -> {
          Competitor.Regression regression = competitor.fit(held.training(), way);
          return held.test().stream()
              .map(row -> RowScore.of(row, way.target(), regression.predict(row)));
        })
        .toList();
  }

  private static void add(
      Figures.Sheet figures, Competitor competitor, Target target, List<RowScore> scores) {
    String model = competitor.label();
    String plain = LogErrors.plainMetric(target);
    Function<List<RowScore>, Double> rmsle = some -> LogErrors.rmsle(RowScore.all(some));
    Function<List<RowScore>, Double> error =
        some -> LogErrors.plainError(target, RowScore.all(some));
    figures.add(model, "rmsle", rmsle.apply(scores), scores.size());
    figures.add(model, plain, error.apply(scores), scores.size());
    if (competitor.isOurs()) {
      parts(scores, ProfileRow::family)
          .forEach(
              (name, some) -> figures.add(model, "rmsle/" + name, rmsle.apply(some), some.size()));
    }
    parts(scores, row -> row.device().value())
        .forEach(
            (name, some) -> figures.add(model, "rmsle/" + name, rmsle.apply(some), some.size()));
    parts(scores, Folds::origin)
        .forEach(
            (name, some) -> figures.add(model, plain + "/" + name, error.apply(some), some.size()));
  }

  /** None where all are one. */
  private static Map<String, List<RowScore>> parts(
      List<RowScore> scores, Function<ProfileRow, String> part) {
    Map<String, List<RowScore>> parts =
        scores.stream()
            .collect(
                Collectors.groupingBy(
                    score -> part.apply(score.row()), TreeMap::new, Collectors.toList()));
    return parts.size() > 1 ? parts : Map.of();
  }

  private void checkBounds(
      Part part, List<ProfileRow> data, Figures.Sheet figures, Figures.Sheet unnamed) {
    BoundCheck check = new BoundCheck(settings.coverage().fraction());
    for (int i = 0; i < Math.min(part.protocol().boundSeeds(), cost.maxSeeds()); i++) {
      Competitor.Way way = way(part.target(), i);
      List<HoldOut> splits =
          HoldOut.judging(part.protocol().boundSplits(data, way.settings().seed()), part.target());
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
