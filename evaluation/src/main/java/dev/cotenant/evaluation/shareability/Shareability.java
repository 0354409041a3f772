package dev.cotenant.evaluation.shareability;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.References;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The share of workloads of which two copies fit on one GPU by their predictions, at the default
 * limits: networks on every device of a catalogue, training, and inference at several request
 * rates.
 *
 * <p>A case counts as shared where the bounds hold at the required coverage, both upper bounds of
 * utilization are within the limit together, and both upper bounds of memory fit.
 */
public final class Shareability {
  public static final String TASK = "shareability";
  private static final double[] RATES = {1, 10, 100};
  private static final int COPIES = 2;

  private final FeaturePredictor predictor;
  private final DeviceCatalogue catalogue;
  private final SharingLimits limits;

  /** At the default limits. */
  public Shareability(FeaturePredictor predictor, DeviceCatalogue catalogue) {
    this.predictor = predictor;
    this.catalogue = catalogue;
    limits = SharingLimits.DEFAULT;
  }

  /** The figures of some networks at their batches. */
  public List<EvaluationRow> evaluate(List<ModelFeatures> models) {
    Figures figures = new Figures(TASK, References.NONE);
    settings()
        .forEach((protocol, settings) -> {
          Tally tally = new Tally();
          models.forEach(model ->
              catalogue.devices().forEach(device -> count(tally, model, settings, device)));
          tally.addTo(figures.under(protocol));
        });
    return figures.rows();
  }

  private static Map<String, RunSettings> settings() {
    Map<String, RunSettings> settings = new LinkedHashMap<>();
    settings.put("training", RunSettings.DEFAULT);
    for (double rate : RATES) {
      settings.put(
          "inference-" + (int) rate + "-per-second",
          RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32)
              .withLoad(new Load.RequestRate(rate)));
    }
    return settings;
  }

  /** A rate above the capacity of the device is no case. */
  private void count(Tally tally, ModelFeatures model, RunSettings settings, Device device) {
    PredictionRequest request = PredictionRequest.of(model, settings, device).at(limits.level());
    Prediction prediction = predictor.predict(request);
    if (isAboveCapacity(prediction, settings.load())) {
      return;
    }
    tally.add(
        fits(prediction.utilization().mean(), prediction.peakMemory().mean(), device),
        limits.trust(prediction)
            && fits(prediction.utilization().upper(), prediction.peakMemory().upper(), device));
  }

  private static boolean isAboveCapacity(Prediction prediction, Load load) {
    return load instanceof Load.RequestRate(double rate, _)
        && prediction
            .serving()
            .filter(serving -> serving.capacity().meanPerSecond() < rate)
            .isPresent();
  }

  private boolean fits(Utilization utilization, MemorySize peak, Device device) {
    double usable = device.memory().bytes() * (1 - limits.memoryHeadroomFraction());
    return COPIES * utilization.percent() <= limits.summedUtilization().percent()
        && COPIES * (double) peak.bytes() <= usable;
  }

  /** Cases of one mode. */
  private static final class Tally {
    private int cases;
    private int byMeans;
    private int byBounds;

    void add(boolean fitsByMeans, boolean fitsByBounds) {
      cases++;
      byMeans += fitsByMeans ? 1 : 0;
      byBounds += fitsByBounds ? 1 : 0;
    }

    void addTo(Figures.Sheet figures) {
      if (cases > 0) {
        figures.add("hybrid", "share_by_bounds", (double) byBounds / cases, cases);
        figures.add("hybrid", "share_by_means", (double) byMeans / cases, cases);
      }
    }
  }
}
