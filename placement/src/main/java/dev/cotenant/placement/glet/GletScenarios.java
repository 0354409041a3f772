package dev.cotenant.placement.glet;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.placement.glet.Contest.Judgement;
import dev.cotenant.placement.glet.Contest.Verdict;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The 1,023 scenarios of the gpu-lets paper and its three named ones [gpu-lets, sections 3.1 and
 * 6.2]: five models on four RTX 2080 Ti, with profiles of our own.
 *
 * <p>@READING@
 */
public final class GletScenarios {
  private static final String TASK = "plan";
  private static final int GPUS = 4;
  private static final double[] RATES = {0, 200, 400, 600};

  /** Steps in which the most is looked for, as a part of the named rates. */
  private static final double STEP = 0.1;

  /** What the paper says, by strategy and metric. */
  private static final Map<String, Double> PAPER =
      Map.of(
          "gpulets scenarios_below_ideal", 18.0,
          "gpulets mean_gain_over_sbp", 1.026,
          "gpulets mean_gain_over_self-tuning", 0.748,
          "gpulets mean_share_of_ideal", 0.923,
          "gpulets-nointerference mean_gain_over_sbp", 1.060);

  private final GletModels models;
  private final Contest contest;

  /**
   * @param works of lenet, googlenet, resnet50, ssd-mobilenetv1 and vgg16, by these names
   * @param cells their utilizations on the device; others are ignored
   * @param device RTX 2080 Ti, for which the interference factor was found
   * @throws dev.cotenant.domain.InputException ({@code glet-model-missing})
   */
  public GletScenarios(Map<String, GraphWork> works, List<UtilizationCell> cells, Device device) {
    models = new GletModels(works, cells, device);
    for (PaperModel model : PaperModel.values()) {
      models.require(model.key());
    }
    Stock stock = new Stock(device.id().value(), device.memory(), GPUS);
    contest = new Contest(stock, UtilizationFactor.RTX_2080_TI);
  }

  /** Every figure; half a minute. */
  public List<EvaluationRow> rows() {
    List<EvaluationRow> rows = new ArrayList<>();
    for (ShareEffect effect : ShareEffect.values()) {
      addShares(effect, rows);
      addMostRates(effect, rows);
    }
    return rows;
  }

  private void addShares(ShareEffect effect, List<EvaluationRow> rows) {
    List<List<Tenant>> scenarios = scenarios(effect);
    Map<String, List<Verdict>> verdicts = new LinkedHashMap<>();
    for (String name : contest.names()) {
      verdicts.put(name, scenarios.stream().map(tenants -> contest.of(name, tenants)).toList());
    }
    for (Judgement judgement : Judgement.values()) {
      Map<String, Double> accepted = new LinkedHashMap<>();
      verdicts.forEach((name, all) ->
          accepted.put(name, (double) all.stream().filter(judgement::accepts).count()));
      Sheet sheet = new Sheet("scenarios-1023/" + effect.key(), judgement, rows);
      double ideal = accepted.getOrDefault(Contest.IDEAL, 0.0);
      accepted.forEach((name, count) -> {
        sheet.add(name, "schedulable_share", count / scenarios.size());
        sheet.add(name, "scenarios_below_ideal", ideal - count);
      });
    }
  }

  /** All but the empty one. */
  private List<List<Tenant>> scenarios(ShareEffect effect) {
    List<List<Optional<Tenant>>> choices = new ArrayList<>();
    for (PaperModel model : PaperModel.values()) {
      List<Optional<Tenant>> rates = new ArrayList<>();
      for (double rate : RATES) {
        rates.add(models.tenant(model, rate, effect));
      }
      choices.add(rates);
    }
    List<List<Tenant>> all = new ArrayList<>();
    int count = (int) Math.pow(RATES.length, choices.size());
    for (int number = 1; number < count; number++) {
      List<Tenant> tenants = new ArrayList<>();
      int digits = number;
      for (List<Optional<Tenant>> rates : choices) {
        rates.get(digits % RATES.length).ifPresent(tenants::add);
        digits /= RATES.length;
      }
      all.add(tenants);
    }
    return all;
  }

  private void addMostRates(ShareEffect effect, List<EvaluationRow> rows) {
    for (Judgement judgement : Judgement.values()) {
      Map<String, Map<String, Double>> most = new LinkedHashMap<>();
      for (NamedScenario named : NamedScenario.values()) {
        Sheet sheet = new Sheet(named.key() + "/" + effect.key(), judgement, rows);
        for (String name : contest.names()) {
          double rate = mostRate(name, judgement, tenants(named, effect));
          sheet.add(name, "max_requests_per_second", rate);
          most.computeIfAbsent(name, key -> new LinkedHashMap<>()).put(named.key(), rate);
        }
      }
      addMeans(new Sheet("named-scenarios/" + effect.key(), judgement, rows), most);
    }
  }

  /** Means over the named scenarios. */
  private static void addMeans(Sheet sheet, Map<String, Map<String, Double>> most) {
    most.forEach((name, rates) -> {
      for (String other : List.of(Contest.PACKING, Contest.TUNING)) {
        double gain = meanRatio(rates, most.getOrDefault(other, rates)) - 1;
        sheet.add(name, "mean_gain_over_" + other, gain);
      }
      double share = meanRatio(rates, most.getOrDefault(Contest.IDEAL, rates));
      sheet.add(name, "mean_share_of_ideal", share);
    });
  }

  private static double meanRatio(Map<String, Double> rates, Map<String, Double> others) {
    return rates.entrySet().stream()
        .mapToDouble(rate -> rate.getValue() / others.getOrDefault(rate.getKey(), 0.0))
        .average()
        .orElse(0);
  }

  /** Services of a scenario at a scale of its rates. */
  private interface Scaled {
    List<Tenant> at(double scale);
  }

  private Scaled tenants(NamedScenario named, ShareEffect effect) {
    return scale -> {
      List<Tenant> tenants = new ArrayList<>();
      Iterator<Double> rates = named.rates(scale).iterator();
      for (PaperModel model : PaperModel.values()) {
        models.tenant(model, rates.next(), effect).ifPresent(tenants::add);
      }
      return tenants;
    };
  }

  /** As the paper: the rates are raised until the strategy cannot schedule them. */
  private double mostRate(String name, Judgement judgement, Scaled scenario) {
    int step = 1;
    while (judgement.accepts(contest.of(name, scenario.at(step * STEP)))) {
      step++;
    }
    double total = 0;
    for (Tenant tenant : scenario.at((step - 1) * STEP)) {
      total += tenant.requestsPerSecond();
    }
    return total;
  }

  /** Takes figures of one protocol under one judgement. */
  private record Sheet(String protocol, Judgement judgement, List<EvaluationRow> rows) {
    void add(String strategy, String metric, double value) {
      @Nullable Double reference = PAPER.get(strategy + " " + metric);
      rows.add(
          EvaluationRow.overSeeds(
              new EvaluationRow.Subject(TASK, protocol, strategy, metric + judgement.suffix()),
              new double[] {value},
              1,
              reference));
    }
  }
}
