package dev.cotenant.predictor.evaluate;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.ForestTrainer;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import dev.cotenant.predictor.train.TrainingTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The standing tables: how wrong forests are on rows they have not seen, beside baselines, and how
 * often the upper bound holds.
 *
 * <p>Settings are chosen inside each training part. Every protocol is run on clean rows and on all
 * rows; figures are over seeds, which decide folds and forests. Bounds are checked on clean rows
 * with the first seed.
 */
public final class ForestEvaluation {
  private final DeviceCatalogue catalogue;
  private final TrainingSettings settings;
  private final int seeds;

  /**
   * @param settings seed, coverage and grid; further seeds count up from its seed
   * @param seeds how many seeds, at least 1
   */
  public ForestEvaluation(DeviceCatalogue catalogue, TrainingSettings settings, int seeds) {
    if (seeds < 1) {
      throw new IllegalArgumentException("seeds must be at least 1, is " + seeds);
    }
    this.catalogue = catalogue;
    this.settings = settings;
    this.seeds = seeds;
  }

  private enum Selection {
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
    List<ProfileRow> rows = all.stream().filter(ForestTrainer::isComparable).toList();
    References references = References.forRows(rows);
    List<EvaluationRow> table = new ArrayList<>();
    int total = Target.values().length * Selection.values().length * Protocol.values().length;
    int done = 0;
    for (Target target : Target.values()) {
      for (Selection selection : Selection.values()) {
        TrainingTable data = TrainingTable.of(target, selection.of(rows), catalogue);
        for (Protocol protocol : Protocol.values()) {
          Figures figures = new Figures(target.task(), protocol.label() + selection.suffix());
          run(protocol, data, figures);
          if (selection == Selection.CLEAN) {
            checkBounds(protocol, data, figures);
          }
          table.addAll(figures.rows(references));
          progress.advanced(target.task() + " " + protocol.label(), ++done, total);
        }
      }
    }
    return table;
  }

  private void run(Protocol protocol, TrainingTable data, Figures figures) {
    for (int i = 0; i < seeds; i++) {
      TrainingSettings seeded = settings.withSeed(settings.seed() + i);
      List<Folds.Split> splits = protocol.splits(data.rows(), seeded.seed());
      if (splits.isEmpty()) {
        return;
      }
      for (Competitor competitor : Competitor.values()) {
        if (competitor.entersFor(data.target())) {
          add(figures, competitor, data.target(), scores(competitor, data, splits, seeded));
        }
      }
    }
  }

  private static List<Score> scores(
      Competitor competitor,
      TrainingTable data,
      List<Folds.Split> splits,
      TrainingSettings settings) {
    List<Score> scores = new ArrayList<>();
    for (Folds.Split split : splits) {
      Competitor.Regression regression = competitor.fit(data.select(split.train()), settings);
      for (int row : split.test()) {
        scores.add(
            new Score(
                data.row(row).family(),
                Competitor.actual(data, row),
                regression.predict(data, row)));
      }
    }
    return scores;
  }

  private static void add(
      Figures figures, Competitor competitor, Target target, List<Score> scores) {
    String model = competitor.label();
    figures.add(model, "rmsle", Score.rmsle(scores), scores.size());
    figures.add(model, Score.plainMetric(target), Score.plainError(target, scores), scores.size());
    Map<String, List<Score>> families =
        scores.stream()
            .collect(Collectors.groupingBy(Score::family, TreeMap::new, Collectors.toList()));
    if (competitor == Competitor.FOREST && families.size() > 1) {
      families.forEach(
          (family, part) -> figures.add(model, "rmsle/" + family, Score.rmsle(part), part.size()));
    }
  }

  private void checkBounds(Protocol protocol, TrainingTable data, Figures figures) {
    List<Folds.Split> splits = protocol.splits(data.rows(), settings.seed());
    if (!splits.isEmpty()) {
      new BoundCheck(settings).addTo(figures, data, splits);
    }
  }
}
