package dev.cotenant.lab.reinforcement;

import dev.cotenant.learning.file.FileFormat;
import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Trains a policy episode by episode. The same environment and seed give the same policy on one
 * kind of processor, also when a training was written in between and read again.
 */
public final class PolicyTraining {
  /** Steps of an episode [InSS, table 1]. */
  public static final int STEPS = 200;

  private static final int MAX_BYTES = 64 << 20;
  private static final FileFormat FORMAT = new FileFormat("CTPT", 1, MAX_BYTES);
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final Environment environment;
  private final long seed;
  private final ActorCritic agent;
  private final ReplayBuffer buffer;
  private final int batch;
  private final List<Double> rewards = new ArrayList<>();

  /** A training that has not begun. */
  public PolicyTraining(Environment environment, long seed) {
    this(environment, seed, ActorCritic.Settings.PAPER);
  }

  PolicyTraining(Environment environment, long seed, ActorCritic.Settings settings) {
    this.environment = environment;
    this.seed = seed;
    agent =
        new ActorCritic(
            environment.shape(), settings, new MatrixKernel(), new SplittableRandom(seed));
    buffer = new ReplayBuffer(settings.capacity(), environment.shape());
    batch = settings.batch();
  }

  /**
   * Reads a stored training.
   *
   * @throws dev.cotenant.learning.file.FileFormatException where the file is none, or of another
   *     environment
   */
  public static PolicyTraining read(byte[] file, Environment environment) {
    return FORMAT.read(file, in -> read(in, environment));
  }

  private static PolicyTraining read(PayloadReader in, Environment environment) {
    PolicyTraining training = new PolicyTraining(environment, in.readLong());
    for (double reward : in.readDoubles(in.readCount(Double.BYTES))) {
      training.rewards.add(reward);
    }
    if (!in.readText().equals(environment.shape().toString())) {
      throw new IllegalArgumentException("it was trained for states or choices of other sizes");
    }
    training.agent.resume(in.readInt());
    for (DenseNetwork network : training.agent.networks()) {
      network.zip(network, (row, _) -> fill(row, in.readFiniteFloats(row.length)));
    }
    training.buffer.read(in);
    return training;
  }

  private static void fill(float[] row, float[] with) {
    System.arraycopy(with, 0, row, 0, row.length);
  }

  /** The file format of {@link #read}. */
  public byte[] write() {
    return FORMAT.write(this::write);
  }

  private void write(PayloadWriter out) throws IOException {
    out.writeLong(seed);
    out.writeInt(rewards.size());
    for (double reward : rewards) {
      out.writeDouble(reward);
    }
    out.writeText(environment.shape().toString());
    out.writeInt(agent.steps());
    for (DenseNetwork network : agent.networks()) {
      for (int layer = 0; layer < network.layers(); layer++) {
        for (float[] row : network.weights(layer)) {
          out.writeFloats(row);
        }
        out.writeFloats(network.biases(layer));
      }
    }
    buffer.write(out);
  }

  /** Mean reward a step of each episode so far. */
  public List<Double> rewards() {
    return List.copyOf(rewards);
  }

  /** τ as it is now. */
  public double temperature() {
    return agent.temperature();
  }

  /** Runs the next episode. */
  public void runEpisode() {
    SplittableRandom random = new SplittableRandom(seed * GOLDEN + rewards.size());
    environment.begin(random.nextLong());
    float[] state = environment.state();
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
      int[] choices = agent.draw(state, random);
      double reward = environment.apply(choices);
      float[] next = environment.state();
      buffer.add(state, choices, reward, next);
      if (buffer.size() >= batch) {
        agent.learn(buffer, random);
      }
      sum += reward;
      state = next;
    }
    rewards.add(sum / STEPS);
  }

  /** The chances of every option in a state, head by head. */
  float[] chances(float[] state) {
    return agent.chances(state);
  }

  /** The actor's network as an ONNX graph, from a state to the chances of every option. */
  public byte[] toOnnx() {
    return PolicyGraph.of(environment.shape(), agent.actor());
  }
}
