package dev.cotenant.lab.reinforcement;

import dev.cotenant.lab.reinforcement.Environment.Shape;
import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import java.io.IOException;
import java.util.SplittableRandom;

/** The last transitions; a new one takes the place of the oldest. */
final class ReplayBuffer {
  private final float[][] states;
  private final int[][] choices;
  private final float[] rewards;
  private final float[][] next;
  private long added;

  ReplayBuffer(int capacity, Shape shape) {
    states = new float[capacity][shape.state()];
    choices = new int[capacity][shape.heads()];
    rewards = new float[capacity];
    next = new float[capacity][shape.state()];
  }

  int size() {
    return (int) Math.min(added, rewards.length);
  }

  void add(float[] state, int[] chosen, double reward, float[] then) {
    int slot = (int) (added % rewards.length);
    states[slot] = state.clone();
    choices[slot] = chosen.clone();
    rewards[slot] = (float) reward;
    next[slot] = then.clone();
    added++;
  }

  /** Transitions drawn with replacement. */
  static final class Sample {
    final float[][] states;
    final int[][] choices;
    final float[] rewards;
    final float[][] next;

    Sample(int size) {
      states = new float[size][];
      choices = new int[size][];
      rewards = new float[size];
      next = new float[size][];
    }
  }

  void draw(Sample sample, SplittableRandom random) {
    for (int i = 0; i < sample.rewards.length; i++) {
      int slot = random.nextInt(size());
      sample.states[i] = states[slot];
      sample.choices[i] = choices[slot];
      sample.rewards[i] = rewards[slot];
      sample.next[i] = next[slot];
    }
  }

  void write(PayloadWriter out) throws IOException {
    out.writeLong(added);
    for (int slot = 0; slot < size(); slot++) {
      out.writeFloats(states[slot]);
      for (int choice : choices[slot]) {
        out.writeInt(choice);
      }
      out.writeFloat(rewards[slot]);
      out.writeFloats(next[slot]);
    }
  }

  void read(PayloadReader in) {
    added = in.readLong();
    if (added < 0) {
      throw new IllegalArgumentException("it counts " + added + " transitions");
    }
    for (int slot = 0; slot < size(); slot++) {
      states[slot] = in.readFiniteFloats(states[slot].length);
      for (int head = 0; head < choices[slot].length; head++) {
        choices[slot][head] = in.readInt();
      }
      rewards[slot] = in.readFiniteFloats(1)[0];
      next[slot] = in.readFiniteFloats(next[slot].length);
    }
  }
}
