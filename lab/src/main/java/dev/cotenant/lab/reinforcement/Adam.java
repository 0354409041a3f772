package dev.cotenant.lab.reinforcement;

/**
 * Adam with its usual moments (Kingma and Ba, ICLR 2015): steps along the mean gradient over its
 * root mean square.
 */
final class Adam {
  private static final float MEAN_DECAY = 0.9f;
  private static final float SQUARE_DECAY = 0.999f;
  private static final float EPSILON = 1e-8f;

  private final float rate;
  private final DenseNetwork means;
  private final DenseNetwork squares;
  private int steps;

  Adam(DenseNetwork network, float rate) {
    this.rate = rate;
    means = network.alike();
    squares = network.alike();
  }

  DenseNetwork means() {
    return means;
  }

  DenseNetwork squares() {
    return squares;
  }

  int steps() {
    return steps;
  }

  void resume(int taken) {
    steps = taken;
  }

  /** One step of a network against its gradient. */
  void step(DenseNetwork network, DenseNetwork gradient) {
    steps++;
    float size =
        (float)
            (rate
                * Math.sqrt(1 - Math.pow(SQUARE_DECAY, steps))
                / (1 - Math.pow(MEAN_DECAY, steps)));
    means.zip(
        gradient,
        (mean, slope) -> {
          for (int j = 0; j < mean.length; j++) {
            mean[j] += (1 - MEAN_DECAY) * (slope[j] - mean[j]);
          }
        });
    squares.zip(
        gradient,
        (square, slope) -> {
          for (int j = 0; j < square.length; j++) {
            square[j] += (1 - SQUARE_DECAY) * (slope[j] * slope[j] - square[j]);
          }
        });
    for (int layer = 0; layer < network.layers(); layer++) {
      for (int row = 0; row < network.weights(layer).length; row++) {
        move(
            network.weights(layer)[row],
            means.weights(layer)[row],
            squares.weights(layer)[row],
            size);
      }
      move(network.biases(layer), means.biases(layer), squares.biases(layer), size);
    }
  }

  private static void move(float[] numbers, float[] mean, float[] square, float size) {
    for (int j = 0; j < numbers.length; j++) {
      numbers[j] -= size * mean[j] / ((float) Math.sqrt(square[j]) + EPSILON);
    }
  }
}
