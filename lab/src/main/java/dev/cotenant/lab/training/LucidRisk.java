package dev.cotenant.lab.training;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.risk.HeldOutRisks;
import dev.cotenant.lab.risk.HeldOutRisks.Risks;
import dev.cotenant.lab.risk.PairTable;
import dev.cotenant.lab.risk.StaticCurves;
import dev.cotenant.lab.risk.StaticCurves.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Budgets of risk on measured pairs that the model has not seen, without learning: jobs per GPU,
 * jobs harmed, and whether budgets are honest.
 *
 * <p>300 jobs come one by one and stay, as in {@code lab replay}; configurations uniform; at most
 * two share and only if the pair was measured and its memory fits.
 */
public final class LucidRisk implements Preset {
  private static final double LIMIT = SharingLimits.DEFAULT.slowdown().ratio();
  private static final int[] BUDGETS_PERCENT = {2, 5, 10, 15, 20, 30};
  private static final int[] SUMS_PERCENT = {60, 70, 80, 90, 100, 120};

  /** With fewer shared GPUs the ratio of broken GPUs to the budget has no bar. */
  private static final double MIN_SHARED = 100;

  public static final Card CARD =
      new Card(
          "lucid-risk",
          "Jobs per GPU, harm and honesty of budgets of risk on Lucid's pairs, judged on unseen"
              + " pairs",
          "a study of this project in another language on the same pairs",
          20);

  /** Published jobs per GPU and harmed percent by policy. */
  private static final Map<String, Outcome> STUDY = study();

  private static final String READING =
      "scale, deviations and posterior from the training part of each fold, nothing stated by hand;"
          + " the study's pair-new deviations saw the judged pairs; 600 rows a fit and no mean over"
          + " fits by the log loss inside four training parts, after five other settings had been"
          + " looked at";

  private static final String EQUAL_DENSITY =
      "between the two budgets around this density, for each draw; the study's harm is that of its"
          + " budget";

  /** Half of the last printed digit. */
  private static final double ROUNDING_OF_DENSITY = 0.005;

  private static final double ROUNDING_OF_HARM = 0.05;

  private final PairTable table;

  public LucidRisk(List<TrainingPair> pairs) {
    table = new PairTable(pairs);
  }

  private static Map<String, Outcome> study() {
    Map<String, Outcome> study = new TreeMap<>();
    published(
        study,
        "pair new, budget",
        BUDGETS_PERCENT,
        "1.53/0.9 1.64/2.4 1.78/4.7 1.88/4.8 1.91/6.3 1.94/8.8");
    published(
        study,
        "newcomer new, budget",
        BUDGETS_PERCENT,
        "1.00/0 1.06/0.0 1.19/0.8 1.51/6.3 1.71/7.8 1.91/15.2");
    published(
        study,
        "both new, budget",
        BUDGETS_PERCENT,
        "1.00/0 1.00/0 1.09/2.3 1.45/11.7 1.71/16.2 1.95/18.7");
    published(
        study,
        "utilization sum",
        SUMS_PERCENT,
        "1.35/4.2 1.45/7.1 1.55/10.3 1.69/12.2 1.81/16.3 1.98/23.0");
    return study;
  }

  private static void published(
      Map<String, Outcome> study, String rule, int[] percents, String figures) {
    String[] pairs = figures.split(" ", -1);
    for (int i = 0; i < pairs.length; i++) {
      String[] figure = pairs[i].split("/", -1);
      study.put(
          policy(rule, percents[i]),
          new Outcome(Double.parseDouble(figure[0]), Double.parseDouble(figure[1]), 0, 0));
    }
  }

  private static String policy(String rule, int percent) {
    return String.format(Locale.ROOT, "%s %d %%", rule, percent);
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    HeldOutRisks risks = new HeldOutRisks(table, LIMIT);
    StaticCurves curves = new StaticCurves(table, LIMIT);
    List<Cell> cells = new ArrayList<>();
    progress.accept("pair new");
    Risks pair = risks.pairNew();
    cells.addAll(part("pair new", seeds, curves, pair, pair));
    progress.accept("newcomer new");
    cells.addAll(part("newcomer new", seeds, curves, risks.victimNew(), risks.aggressorNew()));
    progress.accept("both new");
    Risks both = risks.bothNew();
    cells.addAll(part("both new", seeds, curves, both, both));
    cells.addAll(baselines(seeds, curves));
    return cells;
  }

  private static List<Cell> part(
      String protocol, int seeds, StaticCurves curves, Risks newcomer, Risks tenant) {
    List<Cell> cells = new ArrayList<>();
    List<List<Outcome>> bySeed = new ArrayList<>();
    for (int seed = 0; seed < seeds; seed++) {
      bySeed.add(new ArrayList<>());
    }
    for (int percent : BUDGETS_PERCENT) {
      double budget = percent / 100.0;
      List<Outcome> outcomes = new ArrayList<>();
      for (int seed = 0; seed < seeds; seed++) {
        outcomes.add(curves.risk(newcomer, tenant, budget, seed));
        bySeed.get(seed).add(outcomes.getLast());
      }
      Sheet<Outcome> sheet =
          sheet(
              protocol,
              policy(protocol + ", budget", percent),
              seeds,
              seed -> outcomes.get((int) seed));
      figures(sheet);
      sheet.figure("shared_gpus", Outcome::sharedGpus, _ -> Published.none(READING));
      sheet.figure(
          "broken_shared_gpus_over_budget",
          outcome -> 100 * outcome.brokenShare() / percent,
          _ -> honest(protocol, percent, outcomes));
      cells.addAll(sheet.cells());
    }
    cells.addAll(atEqualDensity(protocol, bySeed));
    return cells;
  }

  /**
   * Harm at the density of each bar, between the two budgets around it: a budget is a point of the
   * curve, and two curves are compared at the same density.
   */
  private static List<Cell> atEqualDensity(String protocol, List<List<Outcome>> curves) {
    Sheet<List<Outcome>> sheet = new Sheet<>(protocol);
    curves.forEach(curve -> sheet.add(protocol, curve));
    for (int percent : BUDGETS_PERCENT) {
      String policy = policy(protocol + ", budget", percent);
      Outcome study = STUDY.get(policy);
      if (study != null && isBarred(policy)) {
        sheet.figure(
            String.format(
                Locale.ROOT, "harmed_jobs_percent_at_%.2f_jobs_per_gpu", study.jobsPerGpu()),
            curve -> harmAt(study.jobsPerGpu(), curve),
            _ -> new Published(study.harmedPercent(), null, EQUAL_DENSITY));
      }
    }
    return sheet.cells();
  }

  private static double harmAt(double jobsPerGpu, List<Outcome> curve) {
    Outcome before = curve.getFirst();
    for (Outcome outcome : curve) {
      if (outcome.jobsPerGpu() >= jobsPerGpu) {
        double span = outcome.jobsPerGpu() - before.jobsPerGpu();
        double part = span > 0 ? (jobsPerGpu - before.jobsPerGpu()) / span : 1;
        return before.harmedPercent() + part * (outcome.harmedPercent() - before.harmedPercent());
      }
      before = outcome;
    }
    return before.harmedPercent();
  }

  /** Broken among shared GPUs, over the budget of a tenant. */
  private static Published honest(String protocol, int percent, List<Outcome> outcomes) {
    double shared = outcomes.stream().mapToDouble(Outcome::sharedGpus).sum();
    boolean isBothNew = protocol.equals("both new");
    boolean isJudged = shared >= MIN_SHARED && (!isBothNew || percent >= 15);
    return new Published(
        null,
        isJudged ? Bar.atMost(isBothNew ? 1.4 : 0.8) : null,
        "two tenants each within the budget allow 2");
  }

  private static Sheet<Outcome> sheet(
      String table, String policy, int seeds, LongFunction<Outcome> run) {
    Sheet<Outcome> sheet = new Sheet<>(table);
    for (int seed = 0; seed < seeds; seed++) {
      sheet.add(policy, run.apply(seed));
    }
    return sheet;
  }

  private static void figures(Sheet<Outcome> sheet) {
    sheet.figure("jobs_per_gpu", Outcome::jobsPerGpu, policy -> figure(policy, Axis.DENSITY));
    sheet.figure(
        "harmed_jobs_percent", Outcome::harmedPercent, policy -> figure(policy, Axis.HARM));
  }

  private enum Axis {
    DENSITY,
    HARM
  }

  private static Published figure(String policy, Axis axis) {
    Outcome study = STUDY.get(policy);
    if (study == null) {
      return Published.none("not in the study");
    }
    double value = axis == Axis.DENSITY ? study.jobsPerGpu() : study.harmedPercent();
    boolean isPrinted = policy.startsWith("utilization sum"); // the very rule of the study
    Bar bar =
        axis == Axis.DENSITY
            ? Bar.atLeast(value - (isPrinted ? ROUNDING_OF_DENSITY : 0))
            : Bar.atMost(value + (isPrinted ? ROUNDING_OF_HARM : 0));
    return new Published(value, isBarred(policy) ? bar : null, READING);
  }

  private static boolean isBarred(String policy) {
    return policy.matches(
        "pair new, budget (5|10|20) %|newcomer new, budget (10|15|20) %|both new, budget (15|20) %"
            + "|utilization sum (60|80|100) %");
  }

  private static List<Cell> baselines(int seeds, StaticCurves curves) {
    List<Cell> cells = new ArrayList<>();
    for (int percent : SUMS_PERCENT) {
      cells.addAll(
          baseline(
              policy("utilization sum", percent),
              seeds,
              seed -> curves.utilizationSum(percent, seed)));
    }
    cells.addAll(baseline("gpushare", seeds, curves::gpuShare));
    cells.addAll(baseline("oracle", seeds, curves::oracle));
    return cells;
  }

  private static List<Cell> baseline(String policy, int seeds, LongFunction<Outcome> run) {
    Sheet<Outcome> sheet = sheet("without risk", policy, seeds, run);
    figures(sheet);
    return sheet.cells();
  }
}
