package dev.cotenant.plugin;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a user says about a regressor.
 *
 * @param name lower-case letters, digits and hyphens
 * @param file of the ONNX model, relative to the manifest's folder
 * @param sha256 of that file, 64 hexadecimal digits
 * @param inputs columns of its one input, in order
 * @param output what its answer is
 * @param bound how its upper bound is made
 * @param scope the questions that it answers
 */
record Manifest(
    String name,
    String file,
    String sha256,
    List<Column> inputs,
    Output output,
    Bound bound,
    Scope scope) {
  Manifest {
    inputs = List.copyOf(inputs);
  }

  /** An input column: a feature or its log1p. */
  record Column(InputFeature feature, boolean isLog) {
    double of(ModelFeatures model, Device device) {
      double value = feature.of(model, device);
      return isLog ? Math.log1p(value) : value;
    }
  }

  /**
   * Which output of the graph answers, and what.
   *
   * @param name of the output; null for its only one
   */
  record Output(@Nullable String name, Answer answer) {}

  /** An upper bound, which holds in a {@code coverage} share of cases. */
  sealed interface Bound {
    Coverage coverage();

    /** The logarithm of the answer and this much, at least 0. */
    record LogOffset(double offset, Coverage coverage) implements Bound {}

    /** Another output of the graph, in the terms of the answer. */
    record SecondOutput(String name, Coverage coverage) implements Bound {}
  }

  /** Devices, modes and precisions that it was learned for. */
  record Scope(Set<DeviceId> devices, Set<ExecutionMode> modes, Set<Precision> precisions) {
    Scope {
      devices = Set.copyOf(devices);
      modes = Set.copyOf(modes);
      precisions = Set.copyOf(precisions);
    }
  }

  /** The vector of a question. */
  double[] vector(ModelFeatures model, Device device) {
    return inputs.stream().mapToDouble(column -> column.of(model, device)).toArray();
  }
}
