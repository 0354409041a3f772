package dev.cotenant.predictor.train;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.forest.ModelFileWriter;
import dev.cotenant.predictor.forest.PredictorModel;
import dev.cotenant.predictor.forest.Provenance;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.forest.TargetModel;
import dev.cotenant.predictor.forest.TrainingRanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Trains a predictor from measured runs: settings by out-of-bag error, a forest for utilization and
 * one for peak memory, bounds by {@link Calibration}. Same rows, settings and seed give the same
 * bytes.
 *
 * <p>It learns from clean rows of fp32 training: a suspected crash says nothing about a run that
 * lives, and the features do not tell modes and precisions apart.
 */
public final class ForestTrainer {
  private static final RunSettings COMPARABLE =
      new RunSettings(ExecutionMode.TRAINING, Precision.FP32);

  private static final int MIN_ROWS = 20;

  /** The intercept is read off this share of rows, those with the smallest models. */
  private static final int CONTEXT_ROWS_DIVISOR = 100;

  private final DeviceCatalogue catalogue;
  private final TrainingSettings settings;

  public ForestTrainer(DeviceCatalogue catalogue, TrainingSettings settings) {
    this.catalogue = catalogue;
    this.settings = settings;
  }

  /**
   * Trains on all sets together.
   *
   * @throws InputException ({@code too-few-rows}, {@code unknown-device}) when the rows do not
   *     suffice or one ran on a device that the catalogue lacks
   */
  public TrainedForest train(List<ProfileSource.Result> data, TrainingProgress progress) {
    List<ProfileRow> rows =
        data.stream().flatMap(set -> set.rows().stream()).filter(ForestTrainer::isUsed).toList();
    TrainingTable utilization = table(Target.UTILIZATION, rows);
    TrainingTable memory = table(Target.PEAK_MEMORY, rows);
    AtomicInteger done = new AtomicInteger();
    int total = steps(utilization) + steps(memory);
    Trained first =
        fit(utilization, () -> progress.advanced("utilization", done.incrementAndGet(), total));
    Trained second = fit(memory, () -> progress.advanced("memory", done.incrementAndGet(), total));
    TrainingRanges ranges = utilization.ranges().union(memory.ranges());
    Provenance provenance =
        provenance(data, rows, List.of(first.describe("utilization"), second.describe("memory")));
    PredictorModel model =
        new PredictorModel(
            first.model(), second.model(), ranges, contextMemory(memory), provenance);
    return new TrainedForest(ModelFileWriter.toBytes(model));
  }

  private record Trained(ForestSettings settings, TargetModel model) {
    String describe(String task) {
      return task + ": " + settings;
    }
  }

  private static boolean isUsed(ProfileRow row) {
    return row.quality() == Quality.CLEAN
        && isComparable(row)
        && Arrays.stream(Target.values()).anyMatch(target -> target.isMeasured(row));
  }

  /** Whether the row is a run of the one kind that forests learn from: training in fp32. */
  public static boolean isComparable(ProfileRow row) {
    return row.settings().equals(COMPARABLE);
  }

  private TrainingTable table(Target target, List<ProfileRow> rows) {
    TrainingTable table = TrainingTable.of(target, rows, catalogue);
    if (table.size() < MIN_ROWS) {
      throw InputException.malformed(
          "too-few-rows",
          "Training needs at least "
              + MIN_ROWS
              + " clean rows of fp32 training that measure "
              + target.task()
              + ", but there are "
              + table.size()
              + ": import more measured runs.");
    }
    return table;
  }

  private static int steps(TrainingTable table) {
    return 1 + Calibration.forests(table);
  }

  private Trained fit(TrainingTable table, Runnable onStep) {
    ForestSettings chosen = ForestLearner.choose(table, settings.grid(), settings.seed());
    onStep.run();
    return new Trained(chosen, new Calibration(chosen, settings, onStep).fit(table));
  }

  /** Median peak of the rows whose weights and activations are smallest. */
  private static MemorySize contextMemory(TrainingTable memory) {
    List<ProfileRow> smallest =
        memory.rows().stream()
            .sorted(Comparator.comparingDouble(ForestTrainer::modelBytes))
            .limit(Math.max(1, memory.size() / CONTEXT_ROWS_DIVISOR))
            .toList();
    List<MemorySize> peaks =
        smallest.stream().map(ProfileRow::peakMemory).filter(Objects::nonNull).sorted().toList();
    return peaks.get(peaks.size() / 2);
  }

  private static double modelBytes(ProfileRow row) {
    return (double) row.features().modelSize().bytes() + row.features().activations().bytes();
  }

  private Provenance provenance(
      List<ProfileSource.Result> data, List<ProfileRow> used, List<String> forests) {
    List<Provenance.DataSet> sets = new ArrayList<>();
    data.forEach(set -> sets.add(describe(set)));
    return new Provenance(
        sets,
        used.stream().map(ProfileRow::device).distinct().sorted().toList(),
        used.stream().map(ProfileRow::family).distinct().sorted().toList(),
        settings.seed(),
        forests,
        settings.coverage(),
        settings.trainedAt());
  }

  private static Provenance.DataSet describe(ProfileSource.Result set) {
    String format =
        set.rows().stream()
            .findFirst()
            .map(row -> row.source().replaceFirst(":.*$", ""))
            .orElse("empty");
    int used = (int) set.rows().stream().filter(ForestTrainer::isUsed).count();
    return new Provenance.DataSet(
        format, set.sha256(), set.rows().size(), used, set.rejected().size());
  }
}
