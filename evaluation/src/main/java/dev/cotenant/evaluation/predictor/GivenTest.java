package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.References;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Tests predictors, as they answer users, on given measured runs beside baselines. Every row
 * counts, whatever its mode, precision or device. Marks of crashed runs are not used.
 *
 * <p>Baselines learn from known rows; without known rows, from the other networks of the test,
 * which favours them. The width of bounds is compared by pinball loss with a constant offset of the
 * estimate, the 90 % quantile of the test's own residuals, in its favour too.
 */
public final class GivenTest {
  private static final String PROTOCOL = "given-test";
  private static final double LEVEL = 0.9;
  private static final List<Competitor> BASELINES =
      List.of(Competitor.CONSTANT, Competitor.ROOFLINE, Competitor.FOREST);

  private final String protocol;
  private final DeviceCatalogue catalogue;
  private final Function<ProfileRow, Fold> foldOf;

  /**
   * Predictor and training rows of a fold.
   *
   * @param known rows that baselines learn from; empty leaves them the test's other networks
   */
  public record Fold(FeaturePredictor predictor, List<ProfileRow> known) {
    public Fold {
      known = List.copyOf(known);
    }
  }

  /** One predictor for all rows: protocol {@code given-test}. */
  public GivenTest(FeaturePredictor predictor, DeviceCatalogue catalogue, List<ProfileRow> known) {
    this(PROTOCOL, catalogue, constant(new Fold(predictor, known)));
  }

  /**
   * A predictor for each fold.
   *
   * @param protocol its name
   * @param foldOf the same object for rows of one fold
   */
  public GivenTest(String protocol, DeviceCatalogue catalogue, Function<ProfileRow, Fold> foldOf) {
    this.protocol = protocol;
    this.catalogue = catalogue;
    this.foldOf = foldOf;
  }

  private static Function<ProfileRow, Fold> constant(Fold fold) {
    return _ -> fold;
  }

  /** One row: logarithms of what was measured, predicted and bounded. */
  private record Judged(ProfileRow row, double actual, double mean, double upper) {}

  /**
   * The figures on clean and on all rows, of each target that rows measure.
   *
   * @throws InputException ({@code unknown-device}) when a row ran on a device that the catalogue
   *     lacks; ({@code nothing-scored}) when no row measures a target
   */
  public List<EvaluationRow> evaluate(List<ProfileRow> rows, Set<Target> targets) {
    List<ProfileRow> clean = rows.stream().filter(row -> row.quality() == Quality.CLEAN).toList();
    List<EvaluationRow> table = new ArrayList<>();
    for (Target target : targets) {
      table.addAll(evaluate(clean, target, protocol + "/clean"));
      table.addAll(evaluate(rows, target, protocol + "/all"));
    }
    if (table.isEmpty()) {
      throw InputException.malformed(
          "nothing-scored",
          "No row of the test measures "
              + String.join(" or ", targets.stream().map(Target::task).toList())
              + ": nothing was scored. 'datasets import FORMAT PATH' lists the rejected rows.");
    }
    return table;
  }

  private List<EvaluationRow> evaluate(List<ProfileRow> all, Target target, String sheetName) {
    List<Judged> judged =
        all.stream()
            .filter(row -> target.isMeasured(row) && HoldOut.judges(row, target))
            .filter(row -> HoldOut.judges(row, target))
            .map(row -> judge(row, target))
            .toList();
    if (judged.isEmpty()) {
      return List.of();
    }
    Figures figures = new Figures(target.task(), References.NONE);
    Figures.Sheet sheet = figures.under(sheetName);
    addErrors(sheet, Competitor.HYBRID.label(), target, judged);
    addBounds(sheet, target, judged);
    if (target == Target.PEAK_MEMORY) {
      addPrecisionRatios(sheet, judged);
    }
    baselines(judged.stream().map(Judged::row).toList(), target)
        .forEach((label, estimates) -> {
          List<Judged> others = new ArrayList<>();
          for (int i = 0; i < judged.size(); i++) {
            Judged one = judged.get(i);
            others.add(new Judged(one.row(), one.actual(), estimates.get(i), estimates.get(i)));
          }
          addErrors(sheet, label, target, others);
        });
    return figures.rows();
  }

  private Judged judge(ProfileRow row, Target target) {
    Prediction prediction =
        foldOf
            .apply(row)
            .predictor()
            .predict(
                PredictionRequest.of(
                    row.features(), row.settings(), catalogue.require(row.device().value())));
    return switch (target) {
      case UTILIZATION ->
          new Judged(
              row,
              target.plainLogOf(row),
              Math.log1p(prediction.utilization().mean().percent()),
              Math.log1p(prediction.utilization().upper().percent()));
      case PEAK_MEMORY ->
          new Judged(
              row,
              target.plainLogOf(row),
              Math.log(prediction.peakMemory().mean().toMiB()),
              Math.log(prediction.peakMemory().upper().toMiB()));
    };
  }

  private static void addErrors(
      Figures.Sheet sheet, String model, Target target, List<Judged> judged) {
    Scores scores = new Scores();
    judged.forEach(one -> scores.add(one.actual(), one.mean()));
    int rows = judged.size();
    sheet.add(model, "rmsle", LogErrors.rmsle(scores), rows);
    sheet.add(model, LogErrors.plainMetric(target), LogErrors.plainError(target, scores), rows);
  }

  private static void addBounds(Figures.Sheet sheet, Target target, List<Judged> judged) {
    String model = Competitor.HYBRID.label();
    int rows = judged.size();
    addCoverage(sheet, judged, "");
    Map<String, List<Judged>> sets = new TreeMap<>();
    judged.forEach(one ->
        sets.computeIfAbsent(
                Folds.origin(one.row()) + "/" + one.row().device(), _ -> new ArrayList<>())
            .add(one));
    if (sets.size() > 1) {
      sets.forEach((set, some) -> addCoverage(sheet, some, "/" + set));
    }
    double width =
        judged.stream()
            .mapToDouble(one ->
                target == Target.UTILIZATION
                    ? LogErrors.percent(one.upper()) - LogErrors.percent(one.mean())
                    : Math.expm1(one.upper() - one.mean()))
            .average()
            .orElseThrow();
    double[] residuals = judged.stream().mapToDouble(one -> one.actual() - one.mean()).toArray();
    double constant = Math.max(0, Quantiles.conformal(residuals, LEVEL));
    double margin = target == Target.UTILIZATION ? 0.2 : Math.log(1.25);
    sheet.add(model, "bound_width", width, rows);
    sheet.add(model, "bound_pinball", pinball(judged, Double.NaN), rows);
    sheet.add(model, "constant_bound_pinball", pinball(judged, constant), rows);
    sheet.add(model, "margin_bound_pinball", pinball(judged, margin), rows);
  }

  private static void addPrecisionRatios(Figures.Sheet sheet, List<Judged> judged) {
    PrecisionRatios ratios = new PrecisionRatios();
    judged.forEach(one -> ratios.add(one.row(), mebibytes(one.actual()), mebibytes(one.mean())));
    List<Double> errors = ratios.errors();
    if (!errors.isEmpty()) {
      sheet.add(
          Competitor.HYBRID.label(),
          "amp_ratio_median_ape",
          PrecisionRatios.median(errors),
          errors.size());
    }
  }

  private static MemorySize mebibytes(double log) {
    return MemorySize.ofBytesRoundedUp(Math.exp(log) * MemorySize.MIB);
  }

  private static void addCoverage(Figures.Sheet sheet, List<Judged> judged, String suffix) {
    double held = judged.stream().filter(one -> one.actual() <= one.upper() + 1e-9).count();
    sheet.add(
        Competitor.HYBRID.label(), "bound_coverage" + suffix, held / judged.size(), judged.size());
  }

  /**
   * @param offset offset of the bound from the estimate; NaN for the predictor's own bound
   */
  private static double pinball(List<Judged> judged, double offset) {
    return judged.stream()
        .mapToDouble(one ->
            Scores.pinball(
                one.actual(), Double.isNaN(offset) ? one.upper() : one.mean() + offset, LEVEL))
        .average()
        .orElseThrow();
  }

  /** Estimates of each baseline, in the order of the rows. */
  private Map<String, List<Double>> baselines(List<ProfileRow> rows, Target target) {
    Competitor.Way way = new Competitor.Way(target, catalogue, TrainingSettings.standard(1));
    Map<String, List<Double>> estimates = new TreeMap<>();
    Map<String, Map<String, Competitor.Regression>> byLayout = new TreeMap<>();
    IdentityHashMap<Fold, Map<String, Competitor.Regression>> byFold = new IdentityHashMap<>();
    for (ProfileRow row : rows) {
      Fold fold = foldOf.apply(row);
      Map<String, Competitor.Regression> regressions =
          fold.known().isEmpty()
              ? byLayout.computeIfAbsent(Folds.layout(row), _ -> fitted(others(rows, row), way))
              : byFold.computeIfAbsent(fold, _ -> fitted(measured(fold.known(), target), way));
      regressions.forEach((label, regression) ->
          estimates.computeIfAbsent(label, _ -> new ArrayList<>()).add(regression.predict(row)));
    }
    estimates.values().removeIf(values -> values.size() < rows.size());
    return estimates;
  }

  /** Rows of the test of other networks. */
  private static List<ProfileRow> others(List<ProfileRow> rows, ProfileRow row) {
    String layout = Folds.layout(row);
    return rows.stream().filter(other -> !Folds.layout(other).equals(layout)).toList();
  }

  private static List<ProfileRow> measured(List<ProfileRow> known, Target target) {
    return known.stream().filter(target::isMeasured).toList();
  }

  private static Map<String, Competitor.Regression> fitted(
      List<ProfileRow> training, Competitor.Way way) {
    Map<String, Competitor.Regression> regressions = new TreeMap<>();
    if (training.size() < 2) {
      return regressions;
    }
    HoldOut.Training all = new HoldOut.Training(training, List.of());
    Map<Competitor, Competitor.Regression> fitted = new EnumMap<>(Competitor.class);
    BASELINES.forEach(baseline -> fitted.put(baseline, baseline.fit(all, way)));
    fitted.forEach((baseline, regression) -> regressions.put(baseline.label(), regression));
    regressions.put("nearest-device", new NearestDevice(training, way));
    return regressions;
  }
}
