package dev.cotenant.lab.reinforcement;

import dev.cotenant.lab.reinforcement.Environment.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Soft actor-critic for several discrete choices at once [InSS, section 5.4, algorithm 2;
 * Christodoulou, arXiv 1910.07207].
 *
 * <p>Deviations and what the paper leaves open:
 *
 * <ul>
 *   <li>Choices are drawn independently of each other, given the state, and the value of all is the
 *       sum of a value for each (Sunehag et al., AAMAS 2018): so 6 choices of 40 options need 240
 *       outputs, not 40⁶, and the expectation over all options in equations 7 and 8 is exact.
 *   <li>The actor learns from the critics' answers of before their step.
 *   <li>What is learned is log τ: τ itself would fall below 0. With a target of −log(1 + ι), which
 *       no entropy reaches, τ falls in every step, by about the learning rate or less, whatever
 *       happens.
 * </ul>
 */
final class ActorCritic {
  private final Shape shape;
  private final Settings settings;
  private final DenseNetwork actor;
  private final DenseNetwork[] critics = new DenseNetwork[2];
  private final DenseNetwork[] targets = new DenseNetwork[2];

  /** log τ is its bias, so that Adam and checkpoints take it as they take a network. */
  private final DenseNetwork temperature = new DenseNetwork(1, 1);

  private final Learner actorLearner;
  private final Learner[] criticLearners = new Learner[2];
  private final Adam temperatureAdam;
  private final DenseNetwork temperatureGradient = new DenseNetwork(1, 1);
  private final DenseNetwork.Pass nextActor;
  private final DenseNetwork.Pass[] nextTargets = new DenseNetwork.Pass[2];
  private final DenseNetwork.Pass single;
  private final ReplayBuffer.Sample sample;
  private final float[] chances;
  private final float[] logs;

  /**
   * The paper's table 1.
   *
   * @param hidden units of the two hidden layers
   * @param capacity of the replay buffer
   * @param batch transitions a step
   * @param rate ℓ, of all networks and of the temperature
   * @param discount γ
   * @param softUpdate κ
   * @param temperature τ at the start
   */
  record Settings(
      List<Integer> hidden,
      int capacity,
      int batch,
      float rate,
      float discount,
      float softUpdate,
      float temperature) {
    static final Settings PAPER =
        new Settings(List.of(512, 256), 10_000, 100, 1e-4f, 0.99f, 0.01f, 1);

    Settings {
      hidden = List.copyOf(hidden);
    }
  }

  /** A network with the buffers of a training step. */
  private static final class Learner {
    private final DenseNetwork network;
    private final DenseNetwork gradient;
    private final DenseNetwork.Pass pass;
    private final Adam adam;
    private final float[][] slopes;

    Learner(DenseNetwork network, Settings settings, int outputs, MatrixKernel kernel) {
      this.network = network;
      gradient = network.alike();
      pass = network.pass(settings.batch(), kernel);
      adam = new Adam(network, settings.rate());
      slopes = new float[settings.batch()][outputs];
    }

    void step() {
      pass.backward(slopes, gradient);
      adam.step(network, gradient);
    }
  }

  ActorCritic(Shape shape, Settings settings, MatrixKernel kernel, SplittableRandom random) {
    this.shape = shape;
    this.settings = settings;
    int[] widths = {
      shape.state(), settings.hidden().getFirst(), settings.hidden().getLast(), shape.outputs()
    };
    actor = new DenseNetwork(widths).drawn(random);
    actorLearner = new Learner(actor, settings, shape.outputs(), kernel);
    nextActor = actor.pass(settings.batch(), kernel);
    single = actor.pass(1, kernel);
    for (int i = 0; i < critics.length; i++) {
      critics[i] = new DenseNetwork(widths).drawn(random);
      targets[i] = critics[i].alike();
      targets[i].approach(critics[i], 1);
      criticLearners[i] = new Learner(critics[i], settings, shape.outputs(), kernel);
      nextTargets[i] = targets[i].pass(settings.batch(), kernel);
    }
    temperature.biases(0)[0] = (float) Math.log(settings.temperature());
    temperatureAdam = new Adam(temperature, settings.rate());
    sample = new ReplayBuffer.Sample(settings.batch());
    chances = new float[shape.options()];
    logs = new float[shape.options()];
  }

  DenseNetwork actor() {
    return actor;
  }

  float temperature() {
    return (float) Math.exp(temperature.biases(0)[0]);
  }

  /** All that {@link #learn} changes, in one order. */
  List<DenseNetwork> networks() {
    return List.of(
        actor,
        critics[0],
        critics[1],
        targets[0],
        targets[1],
        temperature,
        actorLearner.adam.means(),
        actorLearner.adam.squares(),
        criticLearners[0].adam.means(),
        criticLearners[0].adam.squares(),
        criticLearners[1].adam.means(),
        criticLearners[1].adam.squares(),
        temperatureAdam.means(),
        temperatureAdam.squares());
  }

  /** Steps taken so far. */
  int steps() {
    return actorLearner.adam.steps();
  }

  /** Continues after this number of steps. */
  void resume(int steps) {
    actorLearner.adam.resume(steps);
    criticLearners[0].adam.resume(steps);
    criticLearners[1].adam.resume(steps);
    temperatureAdam.resume(steps);
  }

  /** A choice for each head, drawn by its chances. */
  int[] draw(float[] state, SplittableRandom random) {
    float[] answers = single.forward(new float[][] {state})[0];
    int[] choices = new int[shape.heads()];
    for (int head = 0; head < choices.length; head++) {
      soften(answers, head * shape.options());
      double left = random.nextDouble();
      int option = 0;
      while (option < chances.length - 1 && left >= chances[option]) {
        left -= chances[option];
        option++;
      }
      choices[head] = option;
    }
    return choices;
  }

  /** The chances of every option, head by head. */
  float[] chances(float[] state) {
    float[] answers = single.forward(new float[][] {state})[0];
    float[] all = new float[shape.outputs()];
    for (int from = 0; from < all.length; from += shape.options()) {
      soften(answers, from);
      System.arraycopy(chances, 0, all, from, chances.length);
    }
    return all;
  }

  /** Sets chances and their logarithms from the answers of one head. */
  private void soften(float[] answers, int first) {
    float most = Float.NEGATIVE_INFINITY;
    for (int option = 0; option < chances.length; option++) {
      most = Math.max(most, answers[first + option]);
    }
    double sum = 0;
    for (int option = 0; option < chances.length; option++) {
      chances[option] = (float) Math.exp(answers[first + option] - most);
      sum += chances[option];
    }
    float log = (float) Math.log(sum);
    float part = (float) (1 / sum);
    for (int option = 0; option < chances.length; option++) {
      chances[option] *= part;
      logs[option] = answers[first + option] - most - log;
    }
  }

  /** One step on transitions of the buffer. */
  void learn(ReplayBuffer buffer, SplittableRandom random) {
    buffer.draw(sample, random);
    float[] wanted = wanted();
    float[][] first = criticLearners[0].pass.forward(sample.states);
    float[][] second = criticLearners[1].pass.forward(sample.states);
    float[][] answers = actorLearner.pass.forward(sample.states);
    double entropy = 0;
    for (int i = 0; i < wanted.length; i++) {
      setCriticSlopes(criticLearners[0].slopes[i], first[i], i, wanted[i]);
      setCriticSlopes(criticLearners[1].slopes[i], second[i], i, wanted[i]);
      entropy += setActorSlopes(actorLearner.slopes[i], answers[i], first[i], second[i]);
    }
    criticLearners[0].step();
    criticLearners[1].step();
    actorLearner.step();
    cool(entropy / (wanted.length * shape.heads()));
    targets[0].approach(critics[0], settings.softUpdate());
    targets[1].approach(critics[1], settings.softUpdate());
  }

  /** Equation 7: target values of the critics for the sampled choices. */
  private float[] wanted() {
    float[][] answers = nextActor.forward(sample.next);
    float[][] first = nextTargets[0].forward(sample.next);
    float[][] second = nextTargets[1].forward(sample.next);
    float[] wanted = new float[answers.length];
    float heat = temperature();
    for (int i = 0; i < wanted.length; i++) {
      double value = 0;
      for (int from = 0; from < shape.outputs(); from += shape.options()) {
        soften(answers[i], from);
        for (int option = 0; option < chances.length; option++) {
          float worth = Math.min(first[i][from + option], second[i][from + option]);
          value += chances[option] * (worth - heat * logs[option]);
        }
      }
      wanted[i] = (float) (sample.rewards[i] + settings.discount() * value);
    }
    return wanted;
  }

  /** Equation 6: only the options that were chosen count. */
  private void setCriticSlopes(float[] slopes, float[] answers, int transition, float wanted) {
    Arrays.fill(slopes, 0);
    int[] chosen = sample.choices[transition];
    float sum = 0;
    for (int head = 0; head < chosen.length; head++) {
      sum += answers[head * shape.options() + chosen[head]];
    }
    for (int head = 0; head < chosen.length; head++) {
      slopes[head * shape.options() + chosen[head]] = (sum - wanted) / settings.batch();
    }
  }

  /** Equation 8 by the answers before the softmax; answers the entropy of all heads. */
  private double setActorSlopes(float[] slopes, float[] answers, float[] first, float[] second) {
    float heat = temperature();
    double entropy = 0;
    for (int from = 0; from < slopes.length; from += shape.options()) {
      soften(answers, from);
      float mean = 0;
      for (int option = 0; option < chances.length; option++) {
        float cost = heat * logs[option] - Math.min(first[from + option], second[from + option]);
        slopes[from + option] = cost;
        mean += chances[option] * cost;
        entropy -= chances[option] * logs[option];
      }
      for (int option = 0; option < chances.length; option++) {
        slopes[from + option] = chances[option] * (slopes[from + option] - mean) / settings.batch();
      }
    }
    return entropy;
  }

  /** Equation 9, by log τ, with the target −log(1 + ι). */
  private void cool(double entropy) {
    temperatureGradient.biases(0)[0] =
        (float) (temperature() * (entropy + Math.log(1.0 + shape.outputs())));
    temperatureAdam.step(temperature, temperatureGradient);
  }
}
