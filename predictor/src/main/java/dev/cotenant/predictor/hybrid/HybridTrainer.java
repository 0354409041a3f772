package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Checkpointing;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.Feature;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.model.TrainingRanges;
import dev.cotenant.predictor.train.TrainedModel;
import dev.cotenant.predictor.train.TrainingProgress;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Trains a predictor from measured runs: hybrid models for utilization and for peak memory, with
 * bounds at every level. Same rows, settings and seed give the same bytes.
 *
 * <p>It learns from clean rows of fp32 training: a suspected crash says nothing about a run that
 * lives, and no other settings were measured.
 */
public final class HybridTrainer {
  private static final int MIN_ROWS = 20;

  /** The context is read off this share of rows, those with the smallest models. */
  private static final int CONTEXT_ROWS_DIVISOR = 100;

  private final DeviceCatalogue catalogue;
  private final TrainingSettings settings;

  public HybridTrainer(DeviceCatalogue catalogue, TrainingSettings settings) {
    this.catalogue = catalogue;
    this.settings = settings;
  }

  /** Whether the row is of the trained kind: training in fp32, with memory reserved as needed. */
  public static boolean isComparable(ProfileRow row) {
    RunSettings settings = row.settings();
    return settings.mode() == ExecutionMode.TRAINING
        && settings.precision() == Precision.FP32
        && settings.framework().isPyTorch()
        && settings.recipe().checkpointing() == Checkpointing.NONE
        && settings.load().equals(Load.UNSTATED);
  }

  /**
   * Trains on all sets together.
   *
   * @throws InputException ({@code too-few-rows}, {@code unknown-device}) when the rows do not
   *     suffice or one ran on a device that the catalogue lacks
   */
  public TrainedModel train(List<ProfileSource.Result> data, TrainingProgress progress) {
    List<ProfileRow> rows =
        data.stream().flatMap(set -> set.rows().stream()).filter(HybridTrainer::isUsed).toList();
    MeasuredRuns utilization = runs(Target.UTILIZATION, rows);
    MeasuredRuns memory = runs(Target.PEAK_MEMORY, rows);
    AtomicInteger done = new AtomicInteger();
    int total =
        HybridCalibration.steps(utilization.rows()) + HybridCalibration.steps(memory.rows());
    HybridTarget first =
        fit(
            Target.UTILIZATION,
            utilization,
            () -> progress.advanced("utilization", done.incrementAndGet(), total));
    HybridTarget second =
        fit(
            Target.PEAK_MEMORY,
            memory,
            () -> progress.advanced("memory", done.incrementAndGet(), total));
    HybridModel.Origin origin =
        new HybridModel.Origin(
            ranges(rows),
            contextMemory(memory.rows()),
            provenance(data, rows, Map.of(Target.UTILIZATION, first, Target.PEAK_MEMORY, second)));
    return new TrainedModel(HybridFile.toBytes(new HybridModel(first, second, origin)));
  }

  private TrainingRanges ranges(List<ProfileRow> rows) {
    return TrainingRanges.of(
        rows.stream().map(ProfileRow::device).toList(),
        rows.stream()
            .map(row -> Feature.encode(row.features(), catalogue.require(row.device().value())))
            .toArray(float[][]::new));
  }

  private static boolean isUsed(ProfileRow row) {
    return row.quality() == Quality.CLEAN
        && isComparable(row)
        && Arrays.stream(Target.values()).anyMatch(target -> target.isMeasured(row));
  }

  private MeasuredRuns runs(Target target, List<ProfileRow> rows) {
    MeasuredRuns runs = MeasuredRuns.of(target, rows, catalogue);
    if (runs.size() < MIN_ROWS) {
      throw InputException.malformed(
          "too-few-rows",
          "Training needs at least "
              + MIN_ROWS
              + " clean rows of fp32 training that measure "
              + target.task()
              + ", but there are "
              + runs.size()
              + ": import more measured runs.");
    }
    return runs;
  }

  private HybridTarget fit(Target target, MeasuredRuns runs, Runnable onStep) {
    HybridLearner learner =
        new HybridLearner(HybridFit.belief(target), settings.learner(), settings.seed());
    HybridCalibration.Calibrated all =
        new HybridCalibration(learner, settings.seed(), onStep).fit(runs.sample(), runs.rows());
    return new HybridTarget(all.regression(), all.bounds());
  }

  /** Median peak of the rows whose weights and activations are smallest. */
  private static MemorySize contextMemory(List<ProfileRow> rows) {
    List<MemorySize> peaks =
        rows.stream()
            .sorted(Comparator.comparingDouble(HybridTrainer::modelBytes))
            .limit(Math.max(1, rows.size() / CONTEXT_ROWS_DIVISOR))
            .map(ProfileRow::peakMemory)
            .filter(Objects::nonNull)
            .sorted()
            .toList();
    return peaks.get(peaks.size() / 2);
  }

  private static double modelBytes(ProfileRow row) {
    return (double) row.features().modelSize().bytes() + row.features().activations().bytes();
  }

  private Provenance provenance(
      List<ProfileSource.Result> data, List<ProfileRow> used, Map<Target, HybridTarget> targets) {
    return new Provenance(
        data.stream().map(HybridTrainer::describe).toList(),
        used.stream().map(ProfileRow::device).distinct().sorted().toList(),
        used.stream().map(ProfileRow::family).distinct().sorted().toList(),
        settings.seed(),
        describe(targets),
        settings.coverage());
  }

  private List<String> describe(Map<Target, HybridTarget> targets) {
    List<String> lines = new ArrayList<>();
    lines.add("learner: " + settings.learner().name());
    for (Target target : Target.values()) {
      HybridRegression regression = Objects.requireNonNull(targets.get(target)).regression();
      lines.add(
          target.task()
              + ": "
              + regression.prior()
              + ", "
              + regression.landmarks().count()
              + " landmarks, "
              + regression.trees().size()
              + " trees of depth "
              + regression.trees().depth());
    }
    return lines;
  }

  private static Provenance.DataSet describe(ProfileSource.Result set) {
    String format =
        set.rows().stream()
            .findFirst()
            .map(row -> row.source().replaceFirst("[:/].*$", " "))
            .orElse("");
    int used = (int) set.rows().stream().filter(HybridTrainer::isUsed).count();
    return new Provenance.DataSet(
        format + set.file(), set.sha256(), set.rows().size(), used, set.rejected().size());
  }
}
