package dev.cotenant.lab.inss;

import dev.cotenant.lab.inss.InssServer.Model;
import dev.cotenant.lab.reinforcement.Environment;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Unplaced;
import dev.cotenant.placement.inss.InssPlanner;
import dev.cotenant.simulator.event.Draws;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The Markov decision process in which InSS's placement is learned [InSS, section 5.2]: a step
 * takes a placement for the rates that were observed, BDA finds its batches, and the requests of
 * the next 20 seconds come at rates that have moved on.
 *
 * <p>What the paper leaves open:
 *
 * <ul>
 *   <li>Rates, as in the lab: each minute has one, uniform between two parts of a whole GPU's, and
 *       they move straight in between. Requests are counted, Poisson; the observed rate is a count.
 *   <li>A step's requests are a fluid: what exceeds the throughput and what may wait within the
 *       objective is late or dropped. Without a batch for its rate a model serves what its largest
 *       batch in time serves.
 *   <li>Memory of a model is a process of 600 MiB, its weights, and all its activations for each
 *       request of the batch. Models beyond a GPU's memory, in their order, serve nothing.
 *   <li>Rewards are divided by the penalty factor ω.
 * </ul>
 */
final class InssEnvironment implements Environment {
  static final double LOW = 0.15;
  static final double HIGH = 0.45;
  static final double PENALTY = 100;
  private static final double STEP_SECONDS = 20;
  private static final int STEPS_A_MINUTE = 3;
  private static final double NORMAL_FROM = 50;

  private final InssServer server;
  private final InssSpace space;
  private final InssPlanner bda = new InssPlanner();
  private final GpuEvaluation evaluation;
  private final int models;
  private final double[] single;
  private final double[] from;
  private final double[] to;
  private final double[] observed;
  private final double[] queued;
  private double[] used;
  private Draws draws = new Draws(0);
  private int steps;

  InssEnvironment(InssServer server) {
    this.server = server;
    space = new InssSpace(server);
    models = server.models().size();
    Map<String, Double> ones = new HashMap<>();
    server.models().forEach(model -> ones.put(model.name(), 1.0));
    evaluation = new GpuEvaluation(server.fleet(ones));
    single = server.models().stream().mapToDouble(this::singles).toArray();
    from = new double[models];
    to = new double[models];
    observed = new double[models];
    queued = new double[models];
    used = new double[space.gpus()];
  }

  /** H: a whole RTX 2060 in batches of one. */
  private double singles(Model model) {
    return server.wholeRate(model, 1);
  }

  @Override
  public Shape shape() {
    return space.shape();
  }

  @Override
  public void begin(long seed) {
    draws = new Draws(seed);
    steps = 0;
    Arrays.fill(queued, 0);
    Arrays.fill(used, 0);
    for (int i = 0; i < models; i++) {
      from[i] = drawn(i);
      to[i] = drawn(i);
      observed[i] = from[i];
    }
  }

  @Override
  public float[] state() {
    return space.state(used, observed, queued);
  }

  private double drawn(int model) {
    return server.wholeRate(server.models().get(model)) * draws.uniform(LOW, HIGH);
  }

  @Override
  public double apply(int[] choices) {
    Map<String, Double> rates = new HashMap<>();
    for (int i = 0; i < models; i++) {
      rates.put(server.models().get(i).name(), observed[i]);
    }
    List<FixedShare> shares = space.shares(choices);
    FleetPlan plan = bda.plan(server.fleet(rates).placed(shares));
    Outcome outcome = outcome(plan, shares);
    used = outcome.used;
    double reward = serve(outcome);
    steps++;
    return reward / PENALTY;
  }

  /** What a placement serves. */
  private final class Outcome {
    /** Of each model at most. */
    private final double[] perSecond = new double[models];

    /** The same where BDA found a batch, else 0. */
    private final double[] counted = new double[models];

    /** Bytes of each GPU. */
    private final double[] used = new double[space.gpus()];
  }

  private Outcome outcome(FleetPlan plan, List<FixedShare> shares) {
    Map<String, Integer> batches = new HashMap<>();
    Map<String, Double> planned = new HashMap<>();
    for (PlannedGpu gpu : plan.gpus()) {
      gpu.partitions()
          .forEach(part ->
              batches.put(part.turns().getFirst().service(), part.turns().getFirst().batch()));
      evaluation
          .of(gpu)
          .forEach(turns ->
              planned.put(turns.getFirst().service(), turns.getFirst().throughputPerSecond()));
    }
    for (Unplaced unplaced : plan.unplaced()) {
      planned.put(unplaced.name(), most(unplaced));
    }
    Outcome outcome = new Outcome();
    for (int i = 0; i < models; i++) {
      String name = server.models().get(i).name();
      int gpu = shares.get(i).gpu();
      Integer batch = batches.get(name);
      double own = server.memory(name, batch == null ? 1 : batch);
      if (outcome.used[gpu] + own <= space.memoryOf(gpu).bytes()) {
        outcome.used[gpu] += own;
        outcome.perSecond[i] = Objects.requireNonNull(planned.get(name));
        outcome.counted[i] = batch == null ? 0 : outcome.perSecond[i];
      }
    }
    return outcome;
  }

  private static double most(Unplaced unplaced) {
    return unplaced.reasons().stream()
        .filter(PlanReason.NoBatch.class::isInstance)
        .mapToDouble(reason -> ((PlanReason.NoBatch) reason).prediction().mostPerSecond())
        .findFirst()
        .orElse(0);
  }

  /** Equation 3 for the requests of one step. */
  private double serve(Outcome outcome) {
    double reward = 0;
    for (int i = 0; i < models; i++) {
      double arrived = poisson(rate(i, steps + 0.5) * STEP_SECONDS);
      double served = outcome.perSecond[i] * STEP_SECONDS;
      double room = outcome.perSecond[i] * server.models().get(i).sloMillis() / 1_000;
      double left = Math.max(0, queued[i] + arrived - served);
      double lost = Math.max(0, left - room);
      queued[i] = left - lost;
      observed[i] = Math.max(1, arrived) / STEP_SECONDS;
      reward += outcome.counted[i] / single[i];
      reward -= PENALTY * Math.min(1, lost / Math.max(1, arrived));
    }
    if ((steps + 1) % STEPS_A_MINUTE == 0) {
      for (int i = 0; i < models; i++) {
        from[i] = to[i];
        to[i] = drawn(i);
      }
    }
    return reward;
  }

  private double rate(int model, double step) {
    double part = step % STEPS_A_MINUTE / STEPS_A_MINUTE;
    return from[model] + part * (to[model] - from[model]);
  }

  /** Counts of a step are large: the normal approximation, rounded; small ones one by one. */
  private double poisson(double mean) {
    if (mean >= NORMAL_FROM) {
      return Math.max(0, Math.rint(mean + Math.sqrt(mean) * draws.normal()));
    }
    double left = mean - draws.exponential(1);
    int count = 0;
    while (left > 0) {
      left -= draws.exponential(1);
      count++;
    }
    return count;
  }
}
