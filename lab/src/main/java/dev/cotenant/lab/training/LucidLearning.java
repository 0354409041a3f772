package dev.cotenant.lab.training;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.interference.risk.RiskBudget;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.RiskRule.TrialOrder;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.figure.Sheet.Versus;
import dev.cotenant.lab.pairs.PairWorld;
import dev.cotenant.lab.risk.LearningStream;
import dev.cotenant.lab.risk.LearningStream.Ranks;
import dev.cotenant.lab.risk.PairTable;
import dev.cotenant.lab.risk.StaticCurves.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Learning from the pairs that were placed, from a stated prior on: jobs per GPU and harm in
 * windows of a stream of jobs.
 *
 * <p>Configurations recur as 1/rank (Zipf), in an order drawn for each seed and, in a second table,
 * in that of the set; solo usage is known; each placed pair's two speeds are measured once with
 * noise of 3 %.
 */
public final class LucidLearning implements Preset {
  private static final double MAX_SUM_PERCENT = 100;

  /** Those of [sharing study, section 2]: trials of one job in ten, of a risk of at most 35 %. */
  private static final RiskBudget BUDGET = new RiskBudget(0.10, 0.35, 0.10);

  private static final RiskBudget WITHOUT_TRIALS = RiskBudget.withoutExploration(BUDGET.budget());

  /** Nothing of these pairs. */
  private static final RiskPrior STATED = RiskPrior.STATED;

  public static final Card CARD =
      new Card(
          "lucid-learning",
          "Jobs per GPU and harm on Lucid's pairs while risks are learned from placed pairs",
          "a study of this project in another language on the same pairs",
          20);

  private static final String LEARNING = "trials, budget 10 %";
  private static final String SAFEST = "trials of least risk, budget 10 %";
  private static final String ORACLE = "oracle";

  /** Published jobs per GPU of the oracle. */
  private static final double STUDY_ORACLE = 1.97;

  /** Published jobs per GPU and harmed percent of trials, by the end of a window. */
  private static final Map<Integer, double[]> STUDY =
      Map.of(
          100, new double[] {1.26, 4.5},
          300, new double[] {1.72, 4.0},
          1_000, new double[] {1.79, 3.9},
          3_000, new double[] {1.83, 1.5},
          6_000, new double[] {1.88, 0.7});

  private static final Map<Integer, double[]> BARS =
      Map.of(1_000, new double[] {1.79, 4.0}, 6_000, new double[] {1.80, 1.1});

  private static final String READING =
      "one stated deviation for all effects instead of a prior fitted on these pairs; share and"
          + " risk of trials are the study's; the study's order of configurations is not stated";

  private static final String SAFEST_READING =
      "the study's rule; decisions try the best fit among the GPUs of a risk within the limit of"
          + " trials instead";

  private static final String STUCK =
      "share of the draws; where the first trials go badly all risks are beyond the limit of"
          + " trials";

  private static final String SAME_DRAWS = "pairs of runs on the same draws";

  private static final String SETTINGS =
      "settings of trials; usage that was not measured there is what the shipped predictor expects";

  private static final List<RiskBudget> CHOICES =
      List.of(
          BUDGET,
          new RiskBudget(0.10, 0.35, 0.05),
          new RiskBudget(0.10, 0.45, 0.05),
          new RiskBudget(0.10, 0.45, 0.10));

  private final PairTable table;
  private final List<PairTable> others;
  private final int jobs;

  /**
   * @param others pairs on which the settings are chosen
   */
  public LucidLearning(List<TrainingPair> pairs, List<PairWorld> others) {
    this(pairs, others, LearningStream.WINDOWS.getLast());
  }

  /** With fewer jobs, the end of a window. */
  public LucidLearning(List<TrainingPair> pairs, List<PairWorld> others, int jobs) {
    this.jobs = jobs;
    this.others = others.stream().map(PairTable::new).toList();
    table = new PairTable(pairs);
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    List<Cell> cells = new ArrayList<>();
    cells.addAll(learning("learning", Ranks.DRAWN, seeds, progress));
    cells.addAll(learning("learning, order of the set", Ranks.OF_THE_SET, seeds, progress));
    others.forEach(other -> cells.addAll(settings(other, seeds, progress)));
    return cells;
  }

  private List<Cell> learning(String name, Ranks ranks, int seeds, Consumer<String> progress) {
    Sheet<List<Outcome>> sheet = new Sheet<>(name);
    policies(stream(table, ranks))
        .forEach((policy, run) -> {
          for (int seed = 0; seed < seeds; seed++) {
            progress.accept(name + ", " + policy + ", draw " + (seed + 1) + " of " + seeds);
            sheet.add(policy, run.apply(seed));
          }
        });
    int from = 1;
    for (int i = 0; i < LearningStream.WINDOWS.size(); i++) {
      int to = LearningStream.WINDOWS.get(i);
      if (to <= jobs) {
        figures(sheet, i, "_of_jobs_" + from + "_to_" + to);
        from = to + 1;
      }
    }
    Versus orders = new Versus(SAFEST, LEARNING);
    int last = windows() - 1;
    sheet.figure(
        "draws_that_share_nothing_in_the_last_window",
        outcomes -> outcomes.get(last).sharedGpus() > 0 ? 0 : 1,
        _ -> Published.none(STUCK));
    sheet.margin(
        "jobs_per_gpu_of_the_last_window",
        orders,
        Sheet.difference(outcomes -> outcomes.get(last).jobsPerGpu()),
        Published.none(SAME_DRAWS));
    sheet.margin(
        "harmed_points_of_the_first_window",
        orders,
        Sheet.difference(outcomes -> outcomes.getFirst().harmedPercent()),
        Published.none(SAME_DRAWS));
    return sheet.cells();
  }

  /** Windows that end within the stream. */
  private int windows() {
    return (int) LearningStream.WINDOWS.stream().filter(end -> end <= jobs).count();
  }

  private LearningStream stream(PairTable pairs, Ranks ranks) {
    return new LearningStream(pairs, SharingLimits.DEFAULT.slowdown(), jobs, ranks);
  }

  private static SequencedMap<String, LongFunction<List<Outcome>>> policies(LearningStream stream) {
    SequencedMap<String, LongFunction<List<Outcome>>> policies = new LinkedHashMap<>();
    policies.put("exclusive", stream::exclusive);
    policies.put("gpushare", stream::gpuShare);
    policies.put("utilization sum 100 %", seed -> stream.utilizationSum(MAX_SUM_PERCENT, seed));
    policies.put(
        "utilization sum 100 %, budget 10 % once learned",
        seed -> stream.learnedBudget(MAX_SUM_PERCENT, STATED, WITHOUT_TRIALS, seed));
    policies.put(
        "utilization sum 100 %, budget 10 % once learned, trials",
        seed -> stream.learnedBudget(MAX_SUM_PERCENT, STATED, BUDGET, seed));
    policies.put(
        "utilization sum 200 %, budget 10 % once learned",
        seed -> stream.learnedBudget(2 * MAX_SUM_PERCENT, STATED, WITHOUT_TRIALS, seed));
    policies.put(
        "utilization sum 200 %, budget 10 % once learned, trials",
        seed -> stream.learnedBudget(2 * MAX_SUM_PERCENT, STATED, BUDGET, seed));
    policies.put(
        "greedy, budget 10 %",
        seed -> stream.learning(STATED, WITHOUT_TRIALS, TrialOrder.FULLEST, seed));
    policies.put(LEARNING, seed -> stream.learning(STATED, BUDGET, TrialOrder.FULLEST, seed));
    policies.put(SAFEST, seed -> stream.learning(STATED, BUDGET, TrialOrder.SAFEST, seed));
    policies.put(ORACLE, stream::oracle);
    return policies;
  }

  private List<Cell> settings(PairTable other, int seeds, Consumer<String> progress) {
    LearningStream elsewhere = stream(other, Ranks.DRAWN);
    Sheet<List<Outcome>> sheet = new Sheet<>("settings, gavel-pairs on " + other.device());
    for (RiskBudget choice : CHOICES) {
      String policy =
          String.format(
              Locale.ROOT,
              "trials of %.0f %%, risk at most %.0f %%",
              100 * choice.trialShare(),
              100 * choice.trialRisk());
      for (int seed = 0; seed < seeds; seed++) {
        progress.accept(other.device() + ", " + policy + ", draw " + (seed + 1) + " of " + seeds);
        sheet.add(policy, elsewhere.learning(STATED, choice, TrialOrder.FULLEST, seed));
      }
    }
    int last = windows() - 1;
    for (int window : List.of(0, last)) {
      String name = "_of_jobs_to_" + LearningStream.WINDOWS.get(window);
      sheet.figure(
          "jobs_per_gpu" + name,
          outcomes -> outcomes.get(window).jobsPerGpu(),
          _ -> Published.none(SETTINGS));
      sheet.figure(
          "harmed_percent" + name,
          outcomes -> outcomes.get(window).harmedPercent(),
          _ -> Published.none(SETTINGS));
    }
    return sheet.cells();
  }

  private static void figures(Sheet<List<Outcome>> sheet, int window, String name) {
    int to = LearningStream.WINDOWS.get(window);
    sheet.figure(
        "jobs_per_gpu" + name,
        outcomes -> outcomes.get(window).jobsPerGpu(),
        policy -> published(policy, to, 0));
    sheet.figure(
        "harmed_percent" + name,
        outcomes -> outcomes.get(window).harmedPercent(),
        policy -> published(policy, to, 1));
    sheet.ratio(
        "density_over_oracle" + name,
        ORACLE,
        outcomes -> outcomes.get(window).jobsPerGpu(),
        policy -> overOracle(policy, to));
  }

  private static boolean isStudys(String policy) {
    return policy.equals(LEARNING) || policy.equals(SAFEST);
  }

  private static Published overOracle(String policy, int to) {
    double[] study = STUDY.get(to);
    return study == null || !isStudys(policy)
        ? Published.none("for comparison")
        : new Published(study[0] / STUDY_ORACLE, null, "the study's oracle is of another stream");
  }

  private static Published published(String policy, int to, int figure) {
    if (!isStudys(policy)) {
      return Published.none("for comparison");
    }
    double[] study = STUDY.getOrDefault(to, new double[2]);
    double[] bar = policy.equals(LEARNING) ? BARS.get(to) : null;
    return new Published(
        study[figure],
        bar == null ? null : figure == 0 ? Bar.atLeast(bar[0]) : Bar.atMost(bar[1]),
        policy.equals(LEARNING) ? READING : SAFEST_READING);
  }
}
