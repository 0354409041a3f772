package dev.cotenant.predictor.cache;

import dev.cotenant.domain.prediction.MeasuredHere;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.cache.MeasuredRunCache.Recalled;
import dev.cotenant.predictor.correct.CorrectedTarget;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import dev.cotenant.predictor.layer.PredictionLayer;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster has measured of a configuration, where it has run before, over the estimate of a
 * model. Utilization and memory are looked up separately.
 */
public final class MeasuredRunLayer implements PredictionLayer {
  /*
   * A single run is rejected when it lies more than three times as far below the model's estimate
   * as the model's lower bound, or below a tenth of it where that bound is wide: a pod that waited
   * for data or had died looks like that, and too low an estimate harms neighbours. A second run
   * that agrees is accepted; of shared runs one of another source, for one may invent two. Too high a run is always accepted: at worst it wastes a GPU. A run that
   * had allocated the predicted memory and used the GPU all the time waited for input.
   */
  private static final double WILD_WIDTHS = 3;

  private static final double WILD_AT_MOST = Math.log(10);

  /** Below 1 %, a job that holds memory counts as idle. */
  private static final double MIN_ACTIVE = Math.log1p(1);

  private static final Coverage MEASURED = Coverage.of(Repeatability.COVERAGE);

  private final Supplier<MeasuredRunCache> cache;

  /**
   * @param cache the measured runs at the time of the request
   */
  public MeasuredRunLayer(Supplier<MeasuredRunCache> cache) {
    this.cache = cache;
  }

  @Override
  public Prediction over(PredictionRequest request, Prediction modelled) {
    MeasuredRunCache runs = cache.get();
    Configuration configuration =
        new Configuration(request.model(), request.settings(), request.device().id());
    List<String> notes = new ArrayList<>();
    Recalled peak =
        accepted(
            CorrectedTarget.PEAK_MEMORY,
            runs.recall(request.namespace(), configuration, CorrectedTarget.PEAK_MEMORY),
            modelled,
            notes);
    Recalled share = runs.recall(request.namespace(), configuration, CorrectedTarget.UTILIZATION);
    Recalled utilization =
        isAsPredicted(peak, modelled)
            ? attributed(share, modelled, notes)
            : accepted(CorrectedTarget.UTILIZATION, share, modelled, notes);
    List<String> warnings = new ArrayList<>();
    if (utilization == null || peak == null) {
      warnings.addAll(modelled.warnings());
    }
    warnings.addAll(notes);
    return measured(modelled, utilization, peak).withWarnings(warnings);
  }

  private static Prediction measured(
      Prediction modelled, @Nullable Recalled utilization, @Nullable Recalled peak) {
    Prediction measured = modelled.withMeasured(from(utilization, peak));
    if (utilization != null) {
      measured = measured.withUtilization(utilization(utilization));
    }
    return peak == null ? measured : measured.withPeakMemory(memory(peak));
  }

  private static @Nullable MeasuredHere from(
      @Nullable Recalled utilization, @Nullable Recalled peak) {
    MeasuredHere used =
        utilization == null ? null : from(MeasuredHere.Target.UTILIZATION, utilization);
    MeasuredHere memory = peak == null ? null : from(MeasuredHere.Target.PEAK_MEMORY, peak);
    if (used == null || memory == null) {
      return used == null ? memory : used;
    }
    return used.and(memory);
  }

  private static MeasuredHere from(MeasuredHere.Target target, Recalled recalled) {
    return new MeasuredHere(Set.of(target), recalled.runs(), recalled.last());
  }

  /** Whether what was measured is no less than the model's lower bound of memory. */
  private static boolean isAsPredicted(@Nullable Recalled peak, Prediction modelled) {
    return peak != null
        && peak.bounds().mean() >= CorrectedTarget.PEAK_MEMORY.predicted(modelled).lower();
  }

  /**
   * The utilization of runs that allocated the predicted memory. A single one far below the
   * estimate waits for input then: its upper bound is the model's lower one until a second run
   * agrees. An idle run is rejected.
   */
  private static @Nullable Recalled attributed(
      @Nullable Recalled recalled, Prediction modelled, List<String> notes) {
    LogBounds expected = CorrectedTarget.UTILIZATION.predicted(modelled);
    if (recalled == null || !isWild(recalled, expected)) {
      return recalled;
    }
    LogBounds bounds = recalled.bounds();
    if (bounds.mean() < MIN_ACTIVE) {
      notes.add(rejection(CorrectedTarget.UTILIZATION, recalled));
      return null;
    }
    notes.add(
        String.format(
            Locale.ROOT,
            "The only %s of this configuration here had the predicted memory and a utilization of"
                + " %s, far below what is predicted: the job is taken as input-bound, and the upper"
                + " bound narrows once a second %1$s agrees.",
            only(recalled),
            percent(bounds.mean())));
    return recalled.with(
        new LogBounds(bounds.mean(), bounds.lower(), Math.max(bounds.upper(), expected.lower())));
  }

  /** The measured runs, unless they are far below the model's estimate and nobody confirms them. */
  private static @Nullable Recalled accepted(
      CorrectedTarget target,
      @Nullable Recalled recalled,
      Prediction modelled,
      List<String> notes) {
    if (recalled == null || !isWild(recalled, target.predicted(modelled))) {
      return recalled;
    }
    notes.add(rejection(target, recalled));
    return null;
  }

  private static boolean isWild(Recalled recalled, LogBounds expected) {
    double least = expected.mean() - Math.min(WILD_WIDTHS * expected.below(), WILD_AT_MOST);
    return recalled.confirmations() == 1 && recalled.bounds().mean() < least;
  }

  private static String rejection(CorrectedTarget target, Recalled measured) {
    return String.format(
        Locale.ROOT,
        "The only %s of this configuration here measured %s, far below what is predicted:"
            + " it counts once a second %1$s agrees.",
        only(measured),
        figure(target, measured.bounds().mean()));
  }

  private static String only(Recalled measured) {
    return measured.runs() == 1 ? "run" : "source of runs";
  }

  private static String figure(CorrectedTarget target, double log) {
    return switch (target) {
      case UTILIZATION -> "a utilization of " + percent(log);
      case PEAK_MEMORY -> "a peak memory of " + bytes(log);
    };
  }

  private static UtilizationEstimate utilization(Recalled recalled) {
    LogBounds bounds = recalled.bounds();
    return new UtilizationEstimate(
        percent(bounds.mean()),
        percent(bounds.lower()),
        percent(bounds.upper()),
        MEASURED,
        recalled.group());
  }

  private static MemoryEstimate memory(Recalled recalled) {
    LogBounds bounds = recalled.bounds();
    return new MemoryEstimate(
        bytes(bounds.mean()),
        bytes(bounds.lower()),
        bytes(bounds.upper()),
        MEASURED,
        recalled.group());
  }

  private static Utilization percent(double log) {
    return Utilization.ofPercentClipped(Math.expm1(log));
  }

  private static MemorySize bytes(double log) {
    return MemorySize.ofBytes(Math.round(Math.exp(log))); // what went in comes out
  }
}
