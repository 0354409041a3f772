package dev.cotenant.lab.risk;

import dev.cotenant.interference.risk.DeviationFit;
import dev.cotenant.interference.risk.Deviations;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.UsageScale;
import dev.cotenant.lab.risk.PairTable.Row;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Risks of measured pairs by a model that has not seen them. Scale, deviations and posterior come
 * from the training part alone.
 */
public final class HeldOutRisks {
  private static final int FOLDS = 10;
  private static final long SEED = 1;

  private final PairTable table;
  private final double limit;

  /**
   * @param limit of the slowdown
   */
  public HeldOutRisks(PairTable table, double limit) {
    this.table = table;
    this.limit = limit;
  }

  /**
   * Risk of a victim beside an aggressor, by their numbers; not a number where the pair was not
   * measured.
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  public record Risks(double[][] ofVictim) {
    double of(int victim, int aggressor) {
      return ofVictim[victim][aggressor];
    }

    private static Risks empty(int jobs) {
      double[][] risks = new double[jobs][jobs];
      Arrays.stream(risks).forEach(row -> Arrays.fill(row, Double.NaN));
      return new Risks(risks);
    }
  }

  /** The pair in no training row, both configurations in others; ten folds of pairs. */
  public Risks pairNew() {
    Map<Integer, Integer> folds = new HashMap<>();
    Random random = new Random(SEED);
    for (Row row : table.rows()) {
      folds.computeIfAbsent(pair(row), _ -> random.nextInt(FOLDS));
    }
    Risks risks = Risks.empty(table.jobs().size());
    for (int fold = 0; fold < FOLDS; fold++) {
      int held = fold;
      List<Row> training =
          table.rows().stream().filter(row -> folds.getOrDefault(pair(row), -1) != held).toList();
      List<Row> judged =
          table.rows().stream().filter(row -> folds.getOrDefault(pair(row), -1) == held).toList();
      judge(model(training), judged, risks);
    }
    return risks;
  }

  private int pair(Row row) {
    return Math.min(row.victim(), row.aggressor()) * table.jobs().size()
        + Math.max(row.victim(), row.aggressor());
  }

  /** The model of the victim in no training row, on either side. */
  public Risks victimNew() {
    return oneNew(Row::victim);
  }

  /** The model of the aggressor in no training row, on either side. */
  public Risks aggressorNew() {
    return oneNew(Row::aggressor);
  }

  private Risks oneNew(java.util.function.ToIntFunction<Row> side) {
    Risks risks = Risks.empty(table.jobs().size());
    for (String held : table.models()) {
      List<Row> judged =
          table.rows().stream()
              .filter(row -> table.model(side.applyAsInt(row)).equals(held))
              .toList();
      judge(withoutModels(held, held), judged, risks);
    }
    return risks;
  }

  /** Neither model in any training row. */
  public Risks bothNew() {
    Risks risks = Risks.empty(table.jobs().size());
    List<String> models = table.models();
    for (int i = 0; i < models.size(); i++) {
      for (int j = i; j < models.size(); j++) {
        String one = models.get(i);
        String other = models.get(j);
        List<Row> judged = table.rows().stream().filter(row -> isBetween(row, one, other)).toList();
        if (!judged.isEmpty()) {
          judge(withoutModels(one, other), judged, risks);
        }
      }
    }
    return risks;
  }

  private boolean isBetween(Row row, String one, String other) {
    String victim = table.model(row.victim());
    String aggressor = table.model(row.aggressor());
    return (victim.equals(one) && aggressor.equals(other))
        || (victim.equals(other) && aggressor.equals(one));
  }

  private final Map<List<String>, RiskModel> withoutModels = new HashMap<>();

  private RiskModel withoutModels(String one, String other) {
    return withoutModels.computeIfAbsent(
        List.of(one, other),
        _ ->
            model(
                table.rows().stream()
                    .filter(row -> !table.isOf(row, one) && !table.isOf(row, other))
                    .toList()));
  }

  private RiskModel model(List<Row> training) {
    List<SpeedMeasurement> measured = training.stream().map(table::measurement).toList();
    UsageScale scale = UsageScale.of(measured.stream().map(SpeedMeasurement::colocation).toList());
    Deviations deviations = DeviationFit.fit(measured, scale, DeviationFit.Settings.DEFAULT);
    RiskModel model = new RiskModel(new RiskPrior(scale, deviations));
    measured.forEach(model::learn);
    return model;
  }

  private void judge(RiskModel model, List<Row> judged, Risks risks) {
    for (Row row : judged) {
      risks.ofVictim()[row.victim()][row.aggressor()] =
          model.risk(table.colocation(row.victim(), row.aggressor()), limit);
    }
  }
}
