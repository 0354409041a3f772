package dev.cotenant.evaluation.predictor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.zoo.ModelZoo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every network of the zoo on seven devices at batches 1 to 256. */
class InferenceOfZooTest {
  private static final List<Integer> BATCHES = List.of(1, 2, 4, 8, 16, 32, 64, 128, 256);
  private static final int BATCHES_PER_SECOND = 2;
  private static final RunSettings SERVING =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

  private final Predictor predictor = Predictor.builtIn();
  private final FeatureExtractor extractor = new FeatureExtractor();
  private final List<Device> devices =
      Stream.of("t4", "v100-16gb", "rtx-2080ti", "rtx-3090", "a100-40gb", "l4", "h100-80gb")
          .map(DeviceCatalogue.builtIn()::require)
          .toList();

  private static ModelGraph graph(String name) {
    return new OnnxGraphReader(ReaderLimits.DEFAULT).read(ModelZoo.build(name), name);
  }

  private List<ModelFeatures> batches(ModelGraph graph) {
    return BATCHES.stream()
        .map(batch -> extractor.extract(graph, new GraphBinding(batch, Map.of())).model())
        .toList();
  }

  private Prediction at(ModelFeatures model, RunSettings settings, Device device) {
    return predictor.predict(model, settings, device);
  }

  @Test
  void needsNoMoreMemoryThanTrainingAndNoLessAtALargerBatch() {
    List<String> violations = new ArrayList<>();
    for (String name : ModelZoo.names()) {
      List<ModelFeatures> models = batches(graph(name));
      for (Device device : devices) {
        long before = 0;
        for (ModelFeatures model : models) {
          String place = name + " on " + device.id().value() + " at " + model.batchSize();
          var served = at(model, SERVING, device).peakMemory();
          var trained = at(model, RunSettings.DEFAULT, device).peakMemory();
          if (!served.mean().isAtMost(trained.mean())) {
            violations.add(place + ": " + served.mean() + " above training " + trained.mean());
          }
          if (served.mean().bytes() < before) {
            violations.add(place + ": less than at the batch before");
          }
          before = served.mean().bytes();
        }
      }
    }
    assertThat(violations).isEmpty();
  }

  @Test
  void isNoLessBusyWithLargerBatchesAtTheSameRateOfBatches() {
    List<String> violations = new ArrayList<>();
    for (String name : ModelZoo.names()) {
      List<ModelFeatures> models = batches(graph(name));
      for (Device device : devices) {
        double before = 0;
        for (ModelFeatures model : models) {
          double rate = (double) BATCHES_PER_SECOND * model.batchSize();
          RunSettings settings = SERVING.withLoad(new Load.RequestRate(rate));
          double percent = at(model, settings, device).utilization().mean().percent();
          if (percent < before) {
            violations.add(name + " on " + device.id().value() + " at " + model.batchSize());
          }
          before = percent;
        }
      }
    }
    assertThat(violations).isEmpty();
  }
}
