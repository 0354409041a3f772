package dev.cotenant.predictor.correct;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import dev.cotenant.predictor.layer.PredictionLayer;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A correction over its base predictor. Estimates move by the offsets of platform and family;
 * bounds move along and are stretched as the cluster's runs demand. They are narrower than the
 * base's where enough runs of that platform show that they hold, and for models of a measured
 * family; those of memory as well where a run of the platform gives the process baseline, which
 * hosts are assumed to share.
 */
public final class CorrectionLayer implements PredictionLayer {
  /** 16 TiB: beyond any device. */
  private static final double MAX_BYTES = 0x1p44;

  private static final Coverage MEASURED = Coverage.of(BoundScale.COVERAGE);

  private final Correction correction;
  private final String label;

  /**
   * @param baseSha256 of the base's file, which the correction must name
   * @param label what predictions show as their model version
   * @throws InputException ({@code wrong-base}) when the correction is of another base
   */
  public CorrectionLayer(String baseSha256, Correction correction, String label) {
    if (!correction.base().sha256().equals(baseSha256)) {
      throw InputException.malformed(
          "wrong-base",
          "The correction "
              + label
              + " is of model "
              + correction.base().label()
              + " ("
              + correction.base().sha256()
              + "), not of "
              + baseSha256
              + ": train again, or serve that model.");
    }
    this.correction = correction;
    this.label = label;
  }

  @Override
  public PredictionRequest requestBelow(PredictionRequest request) {
    boolean isMeasured =
        correction.of(CorrectedTarget.PEAK_MEMORY).contexts().containsKey(platform(request));
    DeviceId device = request.device().id();
    PredictionRequest known =
        correction.hasRunsOn(device) ? request.withMeasured(Set.of(device)) : request;
    return isMeasured ? known.on(Host.MEASURED) : known;
  }

  private static String platform(PredictionRequest request) {
    return Groups.platform(request.device().id(), request.settings());
  }

  @Override
  public Prediction over(PredictionRequest request, Prediction before) {
    CorrectionRequest correctable =
        new CorrectionRequest(
            request.model(),
            request.settings(),
            request.device(),
            correction.families().find(request.model()),
            platform(request));
    return before
        .withUtilization(utilization(correctable, before))
        .withPeakMemory(memory(correctable, before))
        .withModelVersion(label);
  }

  private record CorrectionRequest(
      ModelFeatures features,
      RunSettings settings,
      Device device,
      Optional<String> family,
      String platform) {}

  private UtilizationEstimate utilization(CorrectionRequest request, Prediction before) {
    UtilizationEstimate estimate = before.utilization();
    Corrected corrected = correct(CorrectedTarget.UTILIZATION, request, before);
    if (corrected == null) {
      return estimate;
    }
    Utilization ceiling = request.settings().load().ceiling();
    Utilization mean = percent(corrected.bounds.mean(), ceiling);
    Utilization lower = percent(corrected.bounds.lower(), ceiling);
    Utilization upper = percent(corrected.bounds.upper(), ceiling);
    if (corrected.group != null) {
      return new UtilizationEstimate(mean, lower, upper, MEASURED, corrected.group);
    }
    // What nothing can pass stays so, wherever the estimate moves.
    return Coverage.CERTAIN.equals(estimate.coverage())
        ? new UtilizationEstimate(mean, estimate.lower(), estimate.upper(), Coverage.CERTAIN)
        : new UtilizationEstimate(mean, lower, upper, estimate.coverage(), estimate.group());
  }

  private MemoryEstimate memory(CorrectionRequest request, Prediction before) {
    Corrected corrected = correct(CorrectedTarget.PEAK_MEMORY, request, before);
    if (corrected == null) {
      return before.peakMemory();
    }
    boolean isMeasured = corrected.group != null;
    return new MemoryEstimate(
        bytes(corrected.bounds.mean()),
        bytes(corrected.bounds.lower()),
        bytes(corrected.bounds.upper()),
        isMeasured ? MEASURED : before.peakMemory().coverage(),
        isMeasured ? corrected.group : before.peakMemory().group());
  }

  private static Utilization percent(double log, Utilization ceiling) {
    return Utilization.ofPercentClipped(Math.min(Math.expm1(log), ceiling.percent()));
  }

  private static MemorySize bytes(double log) {
    return MemorySize.ofBytesRoundedUp(Math.min(MAX_BYTES, Math.exp(log)));
  }

  /**
   * @param group the runs like the request whose errors decided the bounds; null without such
   */
  private record Corrected(LogBounds bounds, @Nullable CalibrationGroup group) {}

  /** Null where no run measured the target. */
  private @Nullable Corrected correct(
      CorrectedTarget target, CorrectionRequest request, Prediction before) {
    TargetCorrection found = correction.of(target);
    if (found.runs() == 0) {
      return null;
    }
    LogBounds bounds = found.onHost(request.platform, target.predicted(before));
    float[] features =
        RequestFeatures.encode(request.features, request.settings, request.device, bounds.mean());
    double mean = bounds.mean() + found.shift(request.family, request.platform, features);
    BoundScale scale = found.scale(request.family, request.platform);
    return new Corrected(
        new LogBounds(
            mean, mean - scale.below() * bounds.below(), mean + scale.above() * bounds.above()),
        found.isMeasured(request.family, request.platform)
            ? new CalibrationGroup("own runs on " + request.platform, scale.runs())
            : null);
  }
}
