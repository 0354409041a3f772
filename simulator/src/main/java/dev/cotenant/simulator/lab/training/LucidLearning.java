package dev.cotenant.simulator.lab.training;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.risk.RiskBudget;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.simulator.lab.figure.Cell;
import dev.cotenant.simulator.lab.figure.Cell.Bar;
import dev.cotenant.simulator.lab.figure.Preset;
import dev.cotenant.simulator.lab.figure.Sheet;
import dev.cotenant.simulator.lab.figure.Sheet.Published;
import dev.cotenant.simulator.pairs.PairWorld;
import dev.cotenant.simulator.risk.LearningStream;
import dev.cotenant.simulator.risk.PairTable;
import dev.cotenant.simulator.risk.StaticCurves.Outcome;
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
 * <p>Configurations recur as 1/rank (Zipf) in an order drawn for each seed; solo usage is known;
 * each placed pair's two speeds are measured once with noise of 3 %.
 */
public final class LucidLearning implements Preset {
  private static final double LARGEST_SUM_PERCENT = 100;

  /**
   * Trials of one job in twenty, of a risk of at most 45 %: on Gavel's pairs, in the tables of
   * settings, fewer or safer trials pack less, and riskier ones harm more of the first jobs.
   */
  private static final RiskBudget BUDGET = new RiskBudget(0.10, 0.45, 0.05);

  /** Nothing of these pairs. */
  private static final RiskPrior STATED = RiskPrior.STATED;

  public static final Card CARD =
      new Card(
          "lucid-learning",
          "Jobs per GPU and harm on Lucid's pairs while risks are learned from placed pairs",
          "a study of this project in another language on the same pairs",
          20);

  private static final String LEARNING = "trials, budget 10 %";

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
          + " risk of trials as on Gavel's pairs; the order of configurations is drawn for each"
          + " seed, the study's is not stated";

  private static final String SETTINGS =
      "settings of trials; usage that was not measured there is what the shipped predictor expects";

  private static final List<RiskBudget> CHOICES =
      List.of(
          new RiskBudget(0.10, 0.35, 0.05),
          BUDGET,
          new RiskBudget(0.10, 0.55, 0.05),
          new RiskBudget(0.10, 0.45, 0.10));

  private final LearningStream stream;
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
    PairTable table =
        new PairTable(pairs, DeviceCatalogue.builtIn().require(pairs.getFirst().device()).memory());
    stream = new LearningStream(table, SharingLimits.DEFAULT.slowdown(), jobs);
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    SequencedMap<String, LongFunction<List<Outcome>>> policies = new LinkedHashMap<>();
    policies.put("exclusive", stream::exclusive);
    policies.put("gpushare", stream::gpuShare);
    policies.put("utilization sum 100 %", seed -> stream.utilizationSum(LARGEST_SUM_PERCENT, seed));
    policies.put(
        "utilization sum 100 %, budget 10 % once learned",
        seed -> stream.learnedBudget(LARGEST_SUM_PERCENT, STATED, BUDGET.budget(), seed));
    policies.put(
        "utilization sum 200 %, budget 10 % once learned",
        seed -> stream.learnedBudget(2 * LARGEST_SUM_PERCENT, STATED, BUDGET.budget(), seed));
    policies.put(
        "greedy, budget 10 %",
        seed -> stream.learning(STATED, RiskBudget.withoutExploration(BUDGET.budget()), seed));
    policies.put(LEARNING, seed -> stream.learning(STATED, BUDGET, seed));
    policies.put("oracle", stream::oracle);
    Sheet<List<Outcome>> sheet = new Sheet<>("learning");
    policies.forEach((policy, run) -> {
      for (int seed = 0; seed < seeds; seed++) {
        progress.accept(policy + ", draw " + (seed + 1) + " of " + seeds);
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
    List<Cell> cells = new ArrayList<>(sheet.cells());
    others.forEach(table -> cells.addAll(settings(table, seeds, progress)));
    return cells;
  }

  private List<Cell> settings(PairTable table, int seeds, Consumer<String> progress) {
    LearningStream elsewhere = new LearningStream(table, SharingLimits.DEFAULT.slowdown(), jobs);
    Sheet<List<Outcome>> sheet = new Sheet<>("settings, gavel-pairs on " + table.device());
    for (RiskBudget choice : CHOICES) {
      String policy =
          String.format(
              Locale.ROOT,
              "trials of %.0f %%, risk at most %.0f %%",
              100 * choice.trialShare(),
              100 * choice.trialRisk());
      for (int seed = 0; seed < seeds; seed++) {
        progress.accept(table.device() + ", " + policy + ", draw " + (seed + 1) + " of " + seeds);
        sheet.add(policy, elsewhere.learning(STATED, choice, seed));
      }
    }
    int last = (int) LearningStream.WINDOWS.stream().filter(end -> end <= jobs).count() - 1;
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
  }

  private static Published published(String policy, int to, int figure) {
    if (!policy.equals(LEARNING)) {
      return Published.none("for comparison");
    }
    double[] study = STUDY.getOrDefault(to, new double[2]);
    double[] bar = BARS.get(to);
    return new Published(
        study[figure],
        bar == null ? null : figure == 0 ? Bar.atLeast(bar[0]) : Bar.atMost(bar[1]),
        READING);
  }
}
