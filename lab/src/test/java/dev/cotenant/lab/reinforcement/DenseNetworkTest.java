package dev.cotenant.lab.reinforcement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DenseNetworkTest {
  private static final float[][] STATES = {{0.3f, -0.7f, 1.1f}, {-0.2f, 0.4f, 0.9f}};

  private final DenseNetwork network = new DenseNetwork(3, 5, 4, 2).drawn(new SplittableRandom(7));
  private final DenseNetwork.Pass pass = network.pass(2, new MatrixKernel());

  /** By hand: relu(1·2 + 3·(−1) + 0.5) = 0 and relu(1·1 + 3·1 − 1) = 3; 0·4 + 3·5 + 1 = 16. */
  @Test
  void rectifiesAllLayersButTheLast() {
    DenseNetwork small = new DenseNetwork(2, 2, 1);
    set(small.weights(0), new float[][] {{2, 1}, {-1, 1}});
    set(small.weights(1), new float[][] {{4}, {5}});
    small.biases(0)[0] = 0.5f;
    small.biases(0)[1] = -1;
    small.biases(1)[0] = 1;

    float[][] answers = small.pass(1, new MatrixKernel()).forward(new float[][] {{1, 3}});

    assertThat(answers).isDeepEqualTo(new float[][] {{16}});
  }

  /** Of the loss Σ answers² / 2, whose slope by an answer is the answer. */
  @Test
  void gradientsAreThoseOfFiniteDifferences() {
    DenseNetwork gradient = network.alike();
    float[][] answers = pass.forward(STATES);
    pass.backward(new float[][] {answers[0].clone(), answers[1].clone()}, gradient);

    for (int layer = 0; layer < network.layers(); layer++) {
      for (int row = 0; row < network.weights(layer).length; row++) {
        compare(network.weights(layer)[row], gradient.weights(layer)[row]);
      }
      compare(network.biases(layer), gradient.biases(layer));
    }
  }

  private void compare(float[] numbers, float[] gradient) {
    float step = 1e-2f;
    for (int j = 0; j < numbers.length; j++) {
      float before = numbers[j];
      numbers[j] = before + step;
      double above = loss();
      numbers[j] = before - step;
      double below = loss();
      numbers[j] = before;
      assertThat((double) gradient[j]).isCloseTo((above - below) / (2 * step), within(2e-3));
    }
  }

  private double loss() {
    double loss = 0;
    for (float[] row : pass.forward(STATES)) {
      for (float answer : row) {
        loss += 0.5 * answer * answer;
      }
    }
    return loss;
  }

  /** Steps of Adam are about as long as the rate, whatever the size of the gradient. */
  @Test
  void adamStepsByTheRateAgainstTheGradient() {
    DenseNetwork one = new DenseNetwork(1, 1);
    DenseNetwork gradient = one.alike();
    gradient.biases(0)[0] = 1_000;

    new Adam(one, 0.1f).step(one, gradient);

    assertThat(one.biases(0)[0]).isCloseTo(-0.1f, within(1e-4f));
    assertThat(one.weights(0)[0][0]).isZero();
  }

  private static void set(float[][] numbers, float[][] to) {
    for (int i = 0; i < to.length; i++) {
      System.arraycopy(to[i], 0, numbers[i], 0, to[i].length);
    }
  }
}
