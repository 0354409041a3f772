package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.graph.ExecutionFeatures;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.graph.StoredParameters;
import dev.cotenant.domain.graph.WorkClass;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Graph features of one file. */
public record FeaturesView(
    @JsonProperty("path") String path,
    @JsonProperty("multiply_accumulates") long multiplyAccumulates,
    @JsonProperty("flops") long flops,
    @JsonProperty("parameters") long parameters,
    @JsonProperty("model_size_bytes") long modelSizeBytes,
    @JsonProperty("activation_bytes") long activationBytes,
    @JsonProperty("input_bytes") long inputBytes,
    @JsonProperty("peak_activation_bytes") long peakActivationBytes,
    @JsonProperty("convolution_layers") int convolutionLayers,
    @JsonProperty("linear_layers") int linearLayers,
    @JsonProperty("activation_layers") int activationLayers,
    @JsonProperty("other_layers") int otherLayers,
    @JsonProperty("normalization_layers") int normalizationLayers,
    @JsonProperty("operators") int operators,
    @JsonProperty("multiply_accumulates_by_class") Map<String, Long> work,
    @JsonProperty("parameters_by_type") List<ParametersView> parametersByType,
    @JsonProperty("activation_read_bytes") long activationReadBytes,
    @JsonProperty("activation_write_bytes") long activationWriteBytes,
    @JsonProperty("weight_read_bytes") long weightReadBytes,
    @JsonProperty("arithmetic_intensity_flops_per_byte") double arithmeticIntensity,
    @JsonProperty("kernels") long kernels,
    @JsonProperty("kernel_depth") long kernelDepth,
    @JsonProperty("kernel_width") long kernelWidth,
    @JsonProperty("batch_size") int batchSize,
    @JsonProperty("shape_coverage") double shapeCoverage,
    @JsonProperty("warnings") List<String> warnings) {

  /** Parameters of one element type. */
  public record ParametersView(
      @JsonProperty("element_type") String elementType,
      @JsonProperty("parameters") long parameters,
      @JsonProperty("size_bytes") long sizeBytes) {
    static ParametersView of(StoredParameters stored) {
      return new ParametersView(stored.elementType(), stored.parameters(), stored.size().bytes());
    }
  }

  public static FeaturesView of(String path, GraphFeatures features) {
    ModelFeatures model = features.model();
    ExecutionFeatures execution = features.execution();
    return new FeaturesView(
        path,
        model.multiplyAccumulates(),
        flops(model),
        model.parameters(),
        model.modelSize().bytes(),
        model.activations().bytes(),
        model.inputs().bytes(),
        features.peakActivations().bytes(),
        model.layers().convolution(),
        model.layers().linear(),
        model.layers().activation(),
        model.layers().other(),
        model.normalizations(),
        features.operators(),
        work(execution),
        features.parameters().stream().map(ParametersView::of).toList(),
        execution.activationsRead().bytes(),
        execution.activationsWritten().bytes(),
        execution.weightsRead().bytes(),
        execution.arithmeticIntensity(),
        execution.kernels(),
        execution.depth(),
        execution.width(),
        model.batchSize(),
        features.shapeCoverage(),
        features.warnings());
  }

  /** Every class, those without any work too, so that readers need not guess keys. */
  private static Map<String, Long> work(ExecutionFeatures execution) {
    Map<String, Long> byClass = new LinkedHashMap<>();
    for (WorkClass kind : WorkClass.values()) {
      byClass.put(kind.key(), execution.work(kind));
    }
    return byClass;
  }

  /** Twice the multiply-accumulates, stopping at the largest long. */
  private static long flops(ModelFeatures model) {
    long accumulates = model.multiplyAccumulates();
    return accumulates > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * accumulates;
  }
}
