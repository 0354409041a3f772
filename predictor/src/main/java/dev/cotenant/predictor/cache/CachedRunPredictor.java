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
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers with what the cluster has measured of a configuration, where it has run before, and with
 * a model's estimate otherwise. Utilization and memory are looked up separately.
 */
public final class CachedRunPredictor implements FeaturePredictor {
  /*
   * A single run is rejected when it lies more than three times as far below the model's estimate
   * as the model's lower bound, or below a tenth of it where that bound is wide: a pod that waited
   * for data or had died looks like that, and too low an estimate harms neighbours. A second run
   * that agrees is accepted. Too high a run is always accepted: at worst it wastes a GPU.
   */
  private static final double WILD_WIDTHS = 3;

  private static final double WILD_AT_MOST = Math.log(10);

  private static final Coverage MEASURED = Coverage.of(Repeatability.COVERAGE);

  private final FeaturePredictor model;
  private final Supplier<MeasuredRunCache> cache;

  /**
   * @param model estimates configurations without a measured run
   * @param cache the measured runs at the time of the request
   */
  public CachedRunPredictor(FeaturePredictor model, Supplier<MeasuredRunCache> cache) {
    this.model = model;
    this.cache = cache;
  }

  @Override
  public Prediction predict(PredictionRequest request) {
    Prediction modelled = model.predict(request);
    MeasuredRunCache runs = cache.get();
    Configuration configuration =
        new Configuration(request.model(), request.settings(), request.device().id());
    List<String> rejections = new ArrayList<>();
    Recalled utilization =
        accepted(CorrectedTarget.UTILIZATION, runs, configuration, modelled, rejections);
    Recalled peak =
        accepted(CorrectedTarget.PEAK_MEMORY, runs, configuration, modelled, rejections);
    MeasuredHere from = from(utilization, peak);
    if (utilization != null && peak != null) {
      return with(modelled, utilization(utilization), memory(peak), List.of(), from);
    }
    List<String> warnings = new ArrayList<>(modelled.warnings());
    warnings.addAll(rejections);
    return with(
        modelled,
        utilization == null ? modelled.utilization() : utilization(utilization),
        peak == null ? modelled.peakMemory() : memory(peak),
        warnings,
        from);
  }

  private static @Nullable MeasuredHere from(
      @Nullable Recalled utilization, @Nullable Recalled peak) {
    List<MeasuredHere> known = new ArrayList<>();
    if (utilization != null) {
      known.add(from(MeasuredHere.Target.UTILIZATION, utilization));
    }
    if (peak != null) {
      known.add(from(MeasuredHere.Target.PEAK_MEMORY, peak));
    }
    return known.stream().reduce(MeasuredHere::and).orElse(null);
  }

  private static MeasuredHere from(MeasuredHere.Target target, Recalled recalled) {
    return new MeasuredHere(Set.of(target), recalled.runs(), recalled.last());
  }

  /** The measured runs, unless there is a single one far below the model's estimate. */
  private static @Nullable Recalled accepted(
      CorrectedTarget target,
      MeasuredRunCache runs,
      Configuration configuration,
      Prediction modelled,
      List<String> rejections) {
    Recalled recalled = runs.recall(configuration, target);
    if (recalled == null || recalled.runs() > 1) {
      return recalled;
    }
    LogBounds expected = target.predicted(modelled);
    double least = expected.mean() - Math.min(WILD_WIDTHS * expected.below(), WILD_AT_MOST);
    if (recalled.bounds().mean() >= least) {
      return recalled;
    }
    rejections.add(
        String.format(
            Locale.ROOT,
            "The only run of this configuration here measured %s, far below what is predicted:"
                + " it counts once a second one agrees.",
            figure(target, recalled.bounds().mean())));
    return null;
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
        percent(bounds.mean()), percent(bounds.lower()), percent(bounds.upper()), MEASURED);
  }

  private static MemoryEstimate memory(Recalled recalled) {
    LogBounds bounds = recalled.bounds();
    return new MemoryEstimate(
        bytes(bounds.mean()), bytes(bounds.lower()), bytes(bounds.upper()), MEASURED);
  }

  private static Utilization percent(double log) {
    return Utilization.ofPercentClipped(Math.expm1(log));
  }

  private static MemorySize bytes(double log) {
    return MemorySize.ofBytes(Math.round(Math.exp(log))); // what went in comes out
  }

  private static Prediction with(
      Prediction modelled,
      UtilizationEstimate utilization,
      MemoryEstimate memory,
      List<String> warnings,
      @Nullable MeasuredHere from) {
    return new Prediction(
        modelled.device(),
        modelled.batchSize(),
        modelled.settings(),
        utilization,
        memory,
        modelled.modelVersion(),
        warnings,
        modelled.work(),
        from,
        modelled.stepTime(),
        modelled.busyTime());
  }
}
