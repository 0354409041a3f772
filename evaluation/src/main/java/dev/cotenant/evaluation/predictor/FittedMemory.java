package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.hybrid.HybridModel;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.List;

/**
 * The hybrid model of peak memory as a base that a cluster's runs correct; it has no estimate of
 * utilization.
 *
 * @param fit with bounds, of peak memory
 */
record FittedMemory(HybridFit fit) implements FeaturePredictor {
  @Override
  public Prediction predict(PredictionRequest request) {
    HybridModel.Estimate estimate = fit.estimate(request);
    return new Prediction(
        request.device().id(),
        request.model().batchSize(),
        request.settings(),
        new UtilizationEstimate(Utilization.FULL, Utilization.IDLE, Utilization.FULL, null),
        new MemoryEstimate(
            bytes(estimate.mean()), bytes(estimate.lower()), bytes(estimate.upper()), null),
        "hybrid",
        List.of());
  }

  private static MemorySize bytes(double logMebibytes) {
    return MemorySize.ofBytesRoundedUp(Math.exp(logMebibytes) * MemorySize.MIB);
  }
}
