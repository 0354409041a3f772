package dev.cotenant.lab.reinforcement;

import java.util.SplittableRandom;

/** Two choices of four options, of which the state names the right ones; each is worth a half. */
final class FakeChoices implements Environment {
  private SplittableRandom random = new SplittableRandom(0);
  private int[] right = new int[2];

  @Override
  public Shape shape() {
    return new Shape(8, 2, 4);
  }

  @Override
  public void begin(long seed) {
    random = new SplittableRandom(seed);
    draw();
  }

  @Override
  public double apply(int[] choices) {
    double reward = 0;
    for (int head = 0; head < right.length; head++) {
      reward += choices[head] == right[head] ? 0.5 : 0;
    }
    draw();
    return reward;
  }

  private void draw() {
    right = new int[] {random.nextInt(4), random.nextInt(4)};
  }

  @Override
  public float[] state() {
    float[] state = new float[8];
    state[right[0]] = 1;
    state[4 + right[1]] = 1;
    return state;
  }
}
