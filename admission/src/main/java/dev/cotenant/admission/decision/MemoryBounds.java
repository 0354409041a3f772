package dev.cotenant.admission.decision;

import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Predicted memory of a pod by product.
 *
 * @param predictions one per product; empty without a prediction for the model
 * @param largest memory of the largest GPU; zero where no GPU is known
 * @param smallest of the smallest one
 * @param isCovered whether all bounds hold as often as was required
 */
public record MemoryBounds(
    Collection<Prediction> predictions,
    MemorySize largest,
    MemorySize smallest,
    boolean isCovered) {
  public MemoryBounds {
    predictions = List.copyOf(predictions);
  }

  /** The prediction with the largest bound, by name of the product where several have it. */
  public Optional<Prediction> worst() {
    return predictions.stream()
        .min(
            Comparator.comparing((Prediction one) -> one.peakMemory().upper())
                .reversed()
                .thenComparing(Prediction::device));
  }

  /**
   * The share of a GPU's compute that its latency objective needs on every product, in whole
   * percent; empty without an objective, and where a product misses it or is needed as a whole.
   */
  public Optional<Integer> sharePercent() {
    Share largest = null;
    for (Prediction prediction : predictions) {
      ObjectivePrediction service = prediction.service();
      if (service == null || service.isMissed()) {
        return Optional.empty();
      }
      Share share = service.share();
      largest = largest == null || share.compareTo(largest) > 0 ? share : largest;
    }
    return largest == null || largest.equals(Share.WHOLE)
        ? Optional.empty()
        : Optional.of((int) Math.ceil(largest.percent()));
  }
}
