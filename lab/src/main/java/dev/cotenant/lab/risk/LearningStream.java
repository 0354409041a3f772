package dev.cotenant.lab.risk;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.risk.RiskBudget;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.RiskRule;
import dev.cotenant.interference.risk.RiskRule.Candidate;
import dev.cotenant.interference.risk.RiskRule.Choice;
import dev.cotenant.interference.risk.RiskTenant;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.lab.risk.PairStream.Rule;
import dev.cotenant.lab.risk.PairStream.Totals;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Rules on a long stream of jobs whose configurations recur as 1/rank (Zipf); a rule that learns
 * measures the two speeds of each pair that it placed, once and with noise.
 */
public final class LearningStream {
  /** Ends of the windows in which jobs are counted. */
  public static final List<Integer> WINDOWS = List.of(100, 300, 1_000, 3_000, 6_000);

  /** Of the logarithm of a speed that is measured [sharing study, section 2]. */
  private static final double NOISE = 0.03;

  private final PairTable table;
  private final Slowdown limit;
  private final int jobs;
  private final Ranks ranks;

  /** Which configuration has which rank. */
  public enum Ranks {
    /** Drawn for each seed. */
    DRAWN,
    /** In the set's order of first appearance. */
    OF_THE_SET
  }

  /**
   * @param limit of the slowdown
   * @param jobs how many come, at most the end of the last window
   */
  public LearningStream(PairTable table, Slowdown limit, int jobs, Ranks ranks) {
    this.table = table;
    this.limit = limit;
    this.jobs = jobs;
    this.ranks = ranks;
  }

  /** Alone. */
  public List<StaticCurves.Outcome> exclusive(long seed) {
    return run(seed, (_, _) -> Optional.empty());
  }

  /** As {@link StaticCurves#gpuShare}. */
  public List<StaticCurves.Outcome> gpuShare(long seed) {
    return run(
        seed,
        (job, candidates) ->
            StaticCurves.best(
                job, candidates, (_, other) -> (int) (table.memory(other).bytes() >> 20)));
  }

  /** As {@link StaticCurves#utilizationSum}. */
  public List<StaticCurves.Outcome> utilizationSum(double mostPercent, long seed) {
    return run(
        seed,
        (job, candidates) ->
            StaticCurves.best(
                job,
                candidates,
                (own, other) ->
                    100 * (table.utilization(own) + table.utilization(other)) <= mostPercent
                        ? (int) Math.round(1e6 * table.utilization(other))
                        : -1));
  }

  /** As {@link StaticCurves#oracle}. */
  public List<StaticCurves.Outcome> oracle(long seed) {
    FewestPartners oracle = new FewestPartners(table, limit.ratio());
    return run(seed, (job, candidates) -> StaticCurves.best(job, candidates, oracle::rank));
  }

  /** Learns from the pairs that it placed, from this prior on. */
  public List<StaticCurves.Outcome> learning(
      RiskPrior prior, RiskBudget budget, RiskRule.TrialOrder order, long seed) {
    return run(seed, new Learner(prior, budget, order, seed));
  }

  /**
   * As decisions with a budget that binds once learned: fullest first within a sum of utilizations,
   * unless both were measured beside others and the risk of one exceeds the budget.
   */
  public List<StaticCurves.Outcome> learnedBudget(
      double mostPercent, RiskPrior prior, RiskBudget budget, long seed) {
    return run(seed, new LearnedBudget(prior, seed, mostPercent / 100, budget));
  }

  private List<StaticCurves.Outcome> run(long seed, Rule rule) {
    PairStream stream = new PairStream(table, limit.ratio());
    List<StaticCurves.Outcome> outcomes = new ArrayList<>();
    Totals before = new Totals();
    int placed = 0;
    for (int job : zipf(seed)) {
      Optional<Integer> partner = stream.place(job, rule);
      if (rule instanceof Memory memory && partner.isPresent()) {
        memory.measure(job, partner.get());
      }
      placed++;
      if (WINDOWS.contains(placed)) {
        outcomes.add(StaticCurves.Outcome.of(stream.totals().since(before)));
        before = stream.totals().copy();
      }
    }
    return outcomes;
  }

  private int[] zipf(long seed) {
    int count = table.jobs().size();
    Random random = new Random(seed);
    int[] ranked = new int[count];
    double[] until = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      int swapped = random.nextInt(i + 1);
      ranked[i] = ranked[swapped];
      ranked[swapped] = i;
      sum += 1.0 / (i + 1);
      until[i] = sum;
    }
    if (ranks == Ranks.OF_THE_SET) {
      ranked = table.inOrderOfTheSet();
    }
    int[] drawn = new int[jobs];
    for (int i = 0; i < jobs; i++) {
      double at = sum * random.nextDouble();
      int rank = 0;
      while (rank < count - 1 && until[rank] < at) {
        rank++;
      }
      drawn[i] = ranked[rank];
    }
    return drawn;
  }

  /** A rule that learns from the pairs that it placed. */
  private abstract class Memory implements Rule {
    final RiskModel model;
    private final Random noise;

    Memory(RiskPrior prior, long seed) {
      model = new RiskModel(prior);
      noise = new Random(seed ^ 0x5eed);
    }

    void measure(int one, int other) {
      measureVictim(one, other);
      measureVictim(other, one);
    }

    private void measureVictim(int victim, int aggressor) {
      double speed = table.speed(victim, aggressor) * StrictMath.exp(NOISE * noise.nextGaussian());
      model.learn(new SpeedMeasurement(table.colocation(victim, aggressor), speed, NOISE));
    }
  }

  /** Whether a job may join another. */
  @FunctionalInterface
  private interface MayJoin {
    boolean test(int own, int other);
  }

  /** Utilization among what was never measured, the budget and trials among the rest. */
  private final class LearnedBudget extends Memory {
    private final double mostUtilization;
    private final RiskBudget budget;
    private long placed;
    private long trials;

    LearnedBudget(RiskPrior prior, long seed, double mostUtilization, RiskBudget budget) {
      super(prior, seed);
      this.mostUtilization = mostUtilization;
      this.budget = budget;
    }

    @Override
    public Optional<Integer> partner(int job, List<Integer> candidates) {
      Map<Integer, Double> risks = new HashMap<>(); // GPUs with the same tenant are alike
      candidates.forEach(other -> risks.computeIfAbsent(other, _ -> risk(job, other)));
      boolean mayTry = trials + 1 <= budget.trialShare() * (placed + 1);
      placed++;
      Optional<Integer> within =
          fullest(job, candidates, (_, other) -> risk(risks, other) <= budget.budget());
      if (within.isPresent() || !mayTry) {
        return within;
      }
      Optional<Integer> trial =
          fullest(
              job,
              candidates,
              (own, other) ->
                  risk(risks, other) <= budget.trialRisk()
                      && !model.isMeasured(table.colocation(own, other)));
      trials += trial.isPresent() ? 1 : 0;
      return trial;
    }

    private static double risk(Map<Integer, Double> risks, int other) {
      return risks.getOrDefault(other, 1.0);
    }

    private Optional<Integer> fullest(int job, List<Integer> candidates, MayJoin mayJoin) {
      return StaticCurves.best(
          job,
          candidates,
          (own, other) ->
              mayJoin.test(own, other) ? (int) Math.round(1e6 * table.utilization(other)) : -1);
    }

    /** Maximum risk of both jobs; 1 if the sum of utilizations exceeds the limit. */
    private double risk(int own, int other) {
      return table.utilization(own) + table.utilization(other) <= mostUtilization
          ? Math.max(riskOf(own, other), riskOf(other, own))
          : 1;
    }

    /** 0 where no budget binds. */
    private double riskOf(int victim, int aggressor) {
      return model.knowsVictim(table.device(), table.job(victim))
              && model.knowsAggressor(table.device(), table.job(aggressor))
          ? model.risk(table.colocation(victim, aggressor), limit.ratio())
          : 0;
    }
  }

  /** The risk rule with learned speeds. */
  private final class Learner extends Memory {
    private final RiskRule<Integer> rule;

    Learner(RiskPrior prior, RiskBudget budget, RiskRule.TrialOrder order, long seed) {
      super(prior, seed);
      rule = new RiskRule<>(model, budget, order);
    }

    @Override
    public Optional<Integer> partner(int job, List<Integer> candidates) {
      List<Candidate<Integer>> gpus = new ArrayList<>();
      boolean[] seen = new boolean[table.jobs().size()];
      for (int i = 0; i < candidates.size(); i++) {
        int other = candidates.get(i);
        if (!seen[other]) { // GPUs with the same tenant are alike
          seen[other] = true;
          gpus.add(
              new Candidate<>(i, table.device(), List.of(tenant(other)), table.utilization(other)));
        }
      }
      Optional<Choice<Integer>> choice = rule.choose(tenant(job), gpus);
      rule.placed(choice);
      return choice.map(Choice::gpu);
    }

    private RiskTenant tenant(int job) {
      return new RiskTenant(table.job(job), limit);
    }
  }
}
