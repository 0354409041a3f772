package dev.cotenant.lab.reinforcement;

import java.util.Arrays;
import java.util.SplittableRandom;

/** A chain of dense layers, rectified but for the last. */
final class DenseNetwork {
  /** By layer: a row for each input. */
  private final float[][][] weights;

  /** By layer. */
  private final float[][] biases;

  /** All 0. */
  DenseNetwork(int... widths) {
    weights = new float[widths.length - 1][][];
    biases = new float[weights.length][];
    for (int layer = 0; layer < weights.length; layer++) {
      weights[layer] = new float[widths[layer]][widths[layer + 1]];
      biases[layer] = new float[widths[layer + 1]];
    }
  }

  /** Uniform in ±1/√inputs, weights and biases, as PyTorch's linear layers begin. */
  DenseNetwork drawn(SplittableRandom random) {
    for (int layer = 0; layer < weights.length; layer++) {
      float bound = (float) (1 / Math.sqrt(weights[layer].length));
      for (float[] row : weights[layer]) {
        draw(row, bound, random);
      }
      draw(biases[layer], bound, random);
    }
    return this;
  }

  private static void draw(float[] row, float bound, SplittableRandom random) {
    for (int j = 0; j < row.length; j++) {
      row[j] = bound * (2 * random.nextFloat() - 1);
    }
  }

  int layers() {
    return weights.length;
  }

  float[][] weights(int layer) {
    return weights[layer];
  }

  float[] biases(int layer) {
    return biases[layer];
  }

  /** As many inputs, hidden units and outputs, all 0. */
  DenseNetwork alike() {
    int[] widths = new int[weights.length + 1];
    for (int layer = 0; layer < weights.length; layer++) {
      widths[layer] = weights[layer].length;
      widths[layer + 1] = biases[layer].length;
    }
    return new DenseNetwork(widths);
  }

  /** Moves every number a part of the way to another network's. */
  void approach(DenseNetwork other, float part) {
    zip(
        other,
        (own, theirs) -> {
          for (int j = 0; j < own.length; j++) {
            own[j] += part * (theirs[j] - own[j]);
          }
        });
  }

  /** Takes the numbers of a network of the same widths, row by row. */
  void zip(DenseNetwork other, RowPairs pairs) {
    for (int layer = 0; layer < weights.length; layer++) {
      for (int row = 0; row < weights[layer].length; row++) {
        pairs.take(weights[layer][row], other.weights[layer][row]);
      }
      pairs.take(biases[layer], other.biases[layer]);
    }
  }

  /** Takes a row of two networks. */
  @FunctionalInterface
  interface RowPairs {
    void take(float[] own, float[] theirs);
  }

  /** Memory of passes over so many states. */
  Pass pass(int states, MatrixKernel kernel) {
    return new Pass(states, kernel);
  }

  /** Forward and backward over a number of states; the memory is used again. */
  final class Pass {
    private final MatrixKernel kernel;

    /** By layer: outputs for each state. */
    private final float[][][] outputs;

    /** By layer: derivative of the loss by its outputs. */
    private final float[][][] slopes;

    private float[][] inputs = {};

    private Pass(int states, MatrixKernel kernel) {
      this.kernel = kernel;
      outputs = new float[layers()][][];
      slopes = new float[layers()][][];
      for (int layer = 0; layer < outputs.length; layer++) {
        outputs[layer] = new float[states][biases[layer].length];
        slopes[layer] = new float[states][biases[layer].length];
      }
    }

    /** The answers for states, a row each; valid until the next call. */
    float[][] forward(float[][] states) {
      inputs = states;
      float[][] last = states;
      for (int layer = 0; layer < outputs.length; layer++) {
        kernel.multiply(outputs[layer], last, weights[layer]);
        last = outputs[layer];
        boolean hidden = layer < outputs.length - 1;
        for (float[] row : last) {
          add(row, biases[layer]);
          if (hidden) {
            rectify(row);
          }
        }
      }
      return last;
    }

    /**
     * Sets a network of derivatives after {@link #forward}.
     *
     * @param slope derivative of the loss by output
     * @param gradient receives the derivatives; same widths as the network
     */
    void backward(float[][] slope, DenseNetwork gradient) {
      float[][] current = slope;
      for (int layer = outputs.length - 1; layer >= 0; layer--) {
        float[][] before = layer == 0 ? inputs : outputs[layer - 1];
        kernel.multiplyTransposed(gradient.weights[layer], before, current);
        Arrays.fill(gradient.biases[layer], 0);
        for (float[] row : current) {
          add(gradient.biases[layer], row);
        }
        if (layer > 0) {
          kernel.multiplyByTransposed(slopes[layer - 1], current, weights[layer]);
          current = slopes[layer - 1];
          for (int i = 0; i < current.length; i++) {
            mask(current[i], before[i]);
          }
        }
      }
    }
  }

  private static void add(float[] to, float[] row) {
    for (int j = 0; j < to.length; j++) {
      to[j] += row[j];
    }
  }

  private static void rectify(float[] row) {
    for (int j = 0; j < row.length; j++) {
      row[j] = Math.max(row[j], 0);
    }
  }

  /** No slope where a unit was at 0. */
  private static void mask(float[] slope, float[] output) {
    for (int j = 0; j < slope.length; j++) {
      slope[j] = output[j] > 0 ? slope[j] : 0;
    }
  }
}
