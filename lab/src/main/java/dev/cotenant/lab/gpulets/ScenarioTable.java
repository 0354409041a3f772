package dev.cotenant.lab.gpulets;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.lab.gpulets.SchedulabilityStudy.Judgement;
import dev.cotenant.lab.gpulets.SchedulabilityStudy.Result;
import dev.cotenant.placement.glet.Tenant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The scenarios of the gpu-lets paper under one share interpretation. */
final class ScenarioTable {
  private static final String TASK = "plan";

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
  private final ShareInterpretation interpretation;
  private final SchedulabilityStudy study;
  private final List<EvaluationRow> rows = new ArrayList<>();
  private final Map<Attempt, Result> attempts = new HashMap<>();

  ScenarioTable(GletModels models, ShareInterpretation interpretation, SchedulabilityStudy study) {
    this.models = models;
    this.interpretation = interpretation;
    this.study = study;
  }

  /** What was added. */
  List<EvaluationRow> rows() {
    return List.copyOf(rows);
  }

  /** How many of the 1,023 scenarios each strategy schedules. */
  void addShares() {
    List<List<Tenant>> scenarios = scenarios();
    Map<String, List<Result>> results = new LinkedHashMap<>();
    for (String name : study.names()) {
      results.put(name, scenarios.stream().map(tenants -> study.of(name, tenants)).toList());
    }
    for (Judgement judgement : Judgement.values()) {
      Map<String, Double> accepted = new LinkedHashMap<>();
      results.forEach((name, all) ->
          accepted.put(name, (double) all.stream().filter(judgement::accepts).count()));
      Sheet sheet = new Sheet("scenarios-1023/" + interpretation.key(), judgement, rows);
      double ideal = accepted.getOrDefault(SchedulabilityStudy.IDEAL, 0.0);
      accepted.forEach((name, count) -> {
        sheet.add(name, "schedulable_share", count / scenarios.size());
        sheet.add(name, "scenarios_below_ideal", ideal - count);
      });
    }
  }

  private List<List<Tenant>> scenarios() {
    Map<String, Optional<Tenant>> known = new HashMap<>();
    List<List<Tenant>> all = new ArrayList<>();
    for (int number = 1; number <= GletScenarios.COUNT; number++) {
      List<Tenant> tenants = new ArrayList<>();
      GletScenarios.rates(number)
          .forEach((model, rate) ->
              known
                  .computeIfAbsent(model + " " + rate, _ -> tenant(model, rate))
                  .ifPresent(tenants::add));
      all.add(tenants);
    }
    return all;
  }

  private Optional<Tenant> tenant(String model, double rate) {
    return models.tenant(PaperModel.of(model), rate, interpretation.effect());
  }

  /** The largest total rate of each named scenario that each strategy schedules. */
  void addMostRates() {
    for (Judgement judgement : Judgement.values()) {
      Map<String, Map<String, Double>> most = new LinkedHashMap<>();
      for (NamedScenario named : NamedScenario.values()) {
        Sheet sheet = new Sheet(named.key() + "/" + interpretation.key(), judgement, rows);
        for (String name : study.names()) {
          double rate = mostRate(name, judgement, named);
          sheet.add(name, "max_requests_per_second", rate);
          most.computeIfAbsent(name, key -> new LinkedHashMap<>()).put(named.key(), rate);
        }
      }
      addMeans(new Sheet("named-scenarios/" + interpretation.key(), judgement, rows), most);
    }
  }

  /** Means over the named scenarios. */
  private static void addMeans(Sheet sheet, Map<String, Map<String, Double>> most) {
    most.forEach((name, rates) -> {
      for (String other : List.of(SchedulabilityStudy.PACKING, SchedulabilityStudy.TUNING)) {
        double gain = meanRatio(rates, most.getOrDefault(other, rates)) - 1;
        sheet.add(name, "mean_gain_over_" + other, gain);
      }
      double share = meanRatio(rates, most.getOrDefault(SchedulabilityStudy.IDEAL, rates));
      sheet.add(name, "mean_share_of_ideal", share);
    });
  }

  private static double meanRatio(Map<String, Double> rates, Map<String, Double> others) {
    return rates.entrySet().stream()
        .mapToDouble(rate -> rate.getValue() / others.getOrDefault(rate.getKey(), 0.0))
        .average()
        .orElse(0);
  }

  private List<Tenant> tenants(NamedScenario named, int step) {
    List<Tenant> tenants = new ArrayList<>();
    Iterator<Double> rates = named.rates(step * STEP).iterator();
    for (PaperModel model : PaperModel.values()) {
      models.tenant(model, rates.next(), interpretation.effect()).ifPresent(tenants::add);
    }
    return tenants;
  }

  /** As the paper: the rates are raised until the strategy cannot schedule them. */
  private double mostRate(String name, Judgement judgement, NamedScenario named) {
    int step = 1;
    while (judgement.accepts(result(new Attempt(name, named, step)))) {
      step++;
    }
    double total = 0;
    for (Tenant tenant : tenants(named, step - 1)) {
      total += tenant.requestsPerSecond();
    }
    return total;
  }

  private Result result(Attempt attempt) {
    return attempts.computeIfAbsent(
        attempt, a -> study.of(a.strategy(), tenants(a.named(), a.step())));
  }

  /** One strategy at one step of a named scenario. */
  private record Attempt(String strategy, NamedScenario named, int step) {}

  /** Takes figures of one protocol under one judgement. */
  private record Sheet(String protocol, Judgement judgement, List<EvaluationRow> rows) {
    void add(String strategy, String metric, double value) {
      boolean comparable = judgement == Judgement.IN_ITS_VIEW;
      @Nullable Double reference = comparable ? PAPER.get(strategy + " " + metric) : null;
      rows.add(
          EvaluationRow.overSeeds(
              new EvaluationRow.Subject(TASK, protocol, strategy, metric + judgement.suffix()),
              new double[] {value},
              1,
              reference));
    }
  }
}
