package dev.cotenant.llm.serving;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Coefficients of the memory of a vLLM server, learned from measured starts.
 *
 * @param logitBytes bytes that sampling takes for a logit beside the logit itself
 * @param forward factor on the widest layer's tensors
 * @param experts factor on the tensors of routed experts
 * @param visionBytes extra of a vision tower
 * @param nonTorchBytes memory outside of PyTorch, by parallelism
 * @param contextBytes memory in use before loading, by parallelism
 * @param graphBytes of CUDA graphs: constant, a layer, experts, latent attention, tensor
 *     parallelism
 * @param release release that the coefficients are limited to; null for any, whose sampler then
 *     decides
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
public record ServingCoefficients(
    double logitBytes,
    double forward,
    double experts,
    double visionBytes,
    Map<Parallelism, Double> nonTorchBytes,
    Map<Parallelism, Double> contextBytes,
    double[] graphBytes,
    @Nullable VllmVersion release) {
  /** A sampler that sorts: values, indices and copies in fp32, 0.15 and 0.16. */
  private static final double SORTING_LOGIT_BYTES = 36;

  /**
   * Learned from every measured start: {@code evaluate llm} fits the same and a test holds these to
   * it.
   */
  public static final ServingCoefficients SHIPPED =
      new ServingCoefficients(
          12.935,
          1.1586,
          1.1079,
          0.1315 * MemorySize.GIB,
          Map.of(
              Parallelism.NONE, 0.25 * MemorySize.GIB,
              Parallelism.TENSOR, 2.105 * MemorySize.GIB,
              Parallelism.EXPERTS, 2.07 * MemorySize.GIB,
              Parallelism.PIPELINE, 0.07 * MemorySize.GIB),
          Map.of(
              Parallelism.NONE, 0.51 * MemorySize.GIB,
              Parallelism.TENSOR, 1.53 * MemorySize.GIB,
              Parallelism.EXPERTS, 2.01 * MemorySize.GIB,
              Parallelism.PIPELINE, 1.455 * MemorySize.GIB),
          new double[] {
            0.3540 * MemorySize.GIB,
            0.01675 * MemorySize.GIB,
            0.2042 * MemorySize.GIB,
            0.5590 * MemorySize.GIB,
            -0.0796 * MemorySize.GIB
          },
          null);

  public ServingCoefficients {
    nonTorchBytes = Map.copyOf(nonTorchBytes);
    contextBytes = Map.copyOf(contextBytes);
  }

  /** These for one release: samplers before 0.17 sort. */
  ServingCoefficients of(VllmVersion version) {
    return new ServingCoefficients(
        besideLogit(version),
        forward,
        experts,
        visionBytes,
        nonTorchBytes,
        contextBytes,
        graphBytes,
        version);
  }

  /** Maximum of both for each constant that drifts between releases. */
  public ServingCoefficients orMore(ServingCoefficients other) {
    Map<Parallelism, Double> nonTorch = new EnumMap<>(Parallelism.class);
    Map<Parallelism, Double> context = new EnumMap<>(Parallelism.class);
    for (Parallelism kind : Parallelism.values()) {
      nonTorch.put(kind, Math.max(nonTorch(kind), other.nonTorch(kind)));
      context.put(kind, Math.max(context(kind), other.context(kind)));
    }
    double[] graphs = graphBytes.clone();
    graphs[0] = Math.max(graphs[0], other.graphBytes[0]);
    return new ServingCoefficients(
        Math.max(logitBytes, other.logitBytes),
        forward,
        experts,
        visionBytes,
        nonTorch,
        context,
        graphs,
        release);
  }

  double activation(ServingAmounts amounts, boolean vision, VllmVersion version) {
    return dense(amounts, version) + experts * amounts.experts() + (vision ? visionBytes : 0);
  }

  /** Of the sampler's largest batch or of the widest layer, whichever is larger. */
  double dense(ServingAmounts amounts, VllmVersion version) {
    return Math.max(sampled(amounts, version), forward * amounts.forward());
  }

  double sampled(ServingAmounts amounts, VllmVersion version) {
    return amounts.logits() * (amounts.valueBytes() + besideLogit(version)) + amounts.embedded();
  }

  private double besideLogit(VllmVersion version) {
    return release == null && !version.hasLeanSampler() ? SORTING_LOGIT_BYTES : logitBytes;
  }

  double nonTorch(Parallelism parallelism) {
    return known(nonTorchBytes, parallelism, nonTorchBytes.getOrDefault(Parallelism.NONE, 0.0));
  }

  double context(Parallelism parallelism) {
    double severalGpus =
        contextBytes.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
    return known(contextBytes, parallelism, severalGpus);
  }

  /** Of divided matrices and divided experts, each stands in for the other. */
  private static double known(
      Map<Parallelism, Double> bytes, Parallelism parallelism, double otherwise) {
    Double own = bytes.get(parallelism);
    return own != null
        ? own
        : switch (parallelism) {
          case EXPERTS -> bytes.getOrDefault(Parallelism.TENSOR, otherwise);
          case TENSOR -> bytes.getOrDefault(Parallelism.EXPERTS, otherwise);
          case NONE, PIPELINE -> otherwise;
        };
  }

  double graphs(ServingAmounts amounts) {
    double bytes = 0;
    for (int i = 0; i < graphBytes.length; i++) {
      bytes += graphBytes[i] * amounts.graphs()[i];
    }
    return Math.max(0, bytes);
  }
}
