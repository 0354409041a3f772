package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.ModelFeatures;
import java.util.List;

/** Graph features of one file. */
public record FeaturesView(
    @JsonProperty("path") String path,
    @JsonProperty("multiply_accumulates") long multiplyAccumulates,
    @JsonProperty("flops") long flops,
    @JsonProperty("parameters") long parameters,
    @JsonProperty("model_size_bytes") long modelSizeBytes,
    @JsonProperty("activation_bytes") long activationBytes,
    @JsonProperty("peak_activation_bytes") long peakActivationBytes,
    @JsonProperty("convolution_layers") int convolutionLayers,
    @JsonProperty("linear_layers") int linearLayers,
    @JsonProperty("activation_layers") int activationLayers,
    @JsonProperty("other_layers") int otherLayers,
    @JsonProperty("operators") int operators,
    @JsonProperty("batch_size") int batchSize,
    @JsonProperty("shape_coverage") double shapeCoverage,
    @JsonProperty("warnings") List<String> warnings) {

  public static FeaturesView of(String path, GraphFeatures features) {
    ModelFeatures model = features.model();
    return new FeaturesView(
        path,
        model.multiplyAccumulates(),
        flops(model),
        model.parameters(),
        model.modelSize().bytes(),
        model.activations().bytes(),
        features.peakActivations().bytes(),
        model.layers().convolution(),
        model.layers().linear(),
        model.layers().activation(),
        model.layers().other(),
        features.operators(),
        model.batchSize(),
        features.shapeCoverage(),
        features.warnings());
  }

  /** Twice the multiply-accumulates, stopping at the largest long. */
  private static long flops(ModelFeatures model) {
    long accumulates = model.multiplyAccumulates();
    return accumulates > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * accumulates;
  }
}
