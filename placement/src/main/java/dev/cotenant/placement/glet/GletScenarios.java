package dev.cotenant.placement.glet;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.glet.ElasticPartitioning.Rules;
import dev.cotenant.placement.glet.ElasticPartitioning.Sharing;
import dev.cotenant.placement.glet.ElasticPartitioning.Sizing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The 1,023 scenarios of the gpu-lets paper and its three named ones [gpu-lets, sections 3.1 and
 * 6.2]: five models on four GPUs.
 */
public final class GletScenarios {
  private static final String TASK = "plan";
  private static final int GPUS = 4;
  private static final double[] RATES = {0, 200, 400, 600};

  /** Steps of the rates in which the most is looked for, as a part of the named rates. */
  private static final double STEP = 0.1;

  private static final double PAPER_BELOW_IDEAL = 18;
  private static final double PAPER_GAIN = 1.026;
  private static final double PAPER_GAIN_WITHOUT = 1.060;

  /** Table 4, in the order of table 5. */
  private enum Model {
    LENET("lenet", 5),
    GOOGLENET("googlenet", 44),
    RESNET50("resnet50", 95),
    SSD("ssd-mobilenetv1", 136),
    VGG16("vgg16", 130);

    private final String key;
    private final double sloMillis;

    Model(String key, double sloMillis) {
      this.key = key;
      this.sloMillis = sloMillis;
    }
  }

  /** Table 5: requests a second of each model. */
  private enum Named {
    EQUAL("equal", 50, 50, 50, 50, 50),
    LONG_ONLY("long-only", 0, 0, 100, 100, 100),
    SHORT_SKEW("short-skew", 100, 100, 100, 50, 50);

    private final String key;
    private final double[] rates;

    Named(String key, double... rates) {
      this.key = key;
      this.rates = rates;
    }
  }

  /** What a strategy says of a scenario. */
  private enum Verdict {
    NOT_SCHEDULABLE,
    SCHEDULABLE_IN_ITS_VIEW,
    SCHEDULABLE
  }

  private interface Scheduler {
    Verdict of(List<Tenant> tenants);
  }

  private final GletModels models;
  private final DeviceProfile device;
  private final GletUsage usage;
  private final Stock stock;
  private final Schedule judge;
  private final Map<String, Scheduler> schedulers = new LinkedHashMap<>();

  /**
   * @param works of lenet, googlenet, resnet50, ssd-mobilenetv1 and vgg16, by these names
   * @param cells their utilizations on the device
   * @param device RTX 2080 Ti, for which the interference factor was found
   * @throws dev.cotenant.domain.InputException ({@code glet-model-missing})
   */
  public GletScenarios(Map<String, GraphWork> works, List<UtilizationCell> cells, Device device) {
    models = new GletModels(works, cells, device);
    this.device = models.deviceProfile();
    List<String> names = new ArrayList<>();
    for (Model model : Model.values()) {
      names.add(model.key);
    }
    usage = models.usage(names);
    stock = new Stock(device.id().value(), device.memory(), GPUS);
    Interference linear = Interference.linear(UtilizationFactor.RTX_2080_TI);
    judge = new Schedule(linear);
    add("sbp", new DutyCycles());
    add("self-tuning", elastic(Sizing.LEAST_SUFFICIENT, Sharing.IN_SPACE, Interference.NONE));
    add("gpulets-nointerference", elastic(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, Interference.NONE));
    add("gpulets", elastic(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, linear));
    ExhaustiveSearch ideal = new ExhaustiveSearch(linear);
    schedulers.put(
        "ideal",
        tenants -> ideal.fit(stock, tenants) ? Verdict.SCHEDULABLE : Verdict.NOT_SCHEDULABLE);
  }

  private static Strategy elastic(Sizing sizing, Sharing sharing, Interference interference) {
    return new ElasticPartitioning(new Rules(sizing, sharing, interference));
  }

  private void add(String name, Strategy strategy) {
    schedulers.put(name, tenants -> verdict(strategy.plan(stock, tenants)));
  }

  private Verdict verdict(Layout layout) {
    if (!layout.left().isEmpty()) {
      return Verdict.NOT_SCHEDULABLE;
    }
    return layout.cards().stream().allMatch(card -> judge.of(card).isPresent())
        ? Verdict.SCHEDULABLE
        : Verdict.SCHEDULABLE_IN_ITS_VIEW;
  }

  /** Every figure; a minute or so. */
  public List<EvaluationRow> rows() {
    List<EvaluationRow> rows = new ArrayList<>(shares());
    rows.addAll(mostRates());
    return rows;
  }

  /** How many of the 1,023 scenarios each strategy schedules. */
  public List<EvaluationRow> shares() {
    List<List<Tenant>> scenarios = scenarios();
    List<EvaluationRow> rows = new ArrayList<>();
    Map<String, Integer> held = new LinkedHashMap<>();
    schedulers.forEach((name, scheduler) -> {
      List<Verdict> verdicts = scenarios.stream().map(scheduler::of).toList();
      int own = count(verdicts, Verdict.SCHEDULABLE_IN_ITS_VIEW);
      int judged = count(verdicts, Verdict.SCHEDULABLE);
      held.put(name, judged);
      double all = scenarios.size();
      rows.add(row("scenarios-1023", name, "schedulable_share", (own + judged) / all, null));
      rows.add(row("scenarios-1023", name, "schedulable_with_interference_share", judged / all, null));
    });
    int ideal = held.getOrDefault("ideal", 0);
    held.forEach((name, count) ->
        rows.add(
            row(
                "scenarios-1023",
                name,
                "scenarios_below_ideal",
                ideal - count,
                name.equals("gpulets") ? PAPER_BELOW_IDEAL : null)));
    return rows;
  }

  private static int count(List<Verdict> verdicts, Verdict wanted) {
    return (int) verdicts.stream().filter(verdict -> verdict == wanted).count();
  }

  /** All but the empty one. */
  private List<List<Tenant>> scenarios() {
    List<List<Tenant>> all = new ArrayList<>();
    Map<Model, List<Optional<Tenant>>> choices = new LinkedHashMap<>();
    for (Model model : Model.values()) {
      List<Optional<Tenant>> rates = new ArrayList<>();
      for (double rate : RATES) {
        rates.add(tenant(model, rate));
      }
      choices.put(model, rates);
    }
    int count = (int) Math.pow(RATES.length, choices.size());
    for (int number = 1; number < count; number++) {
      List<Tenant> tenants = new ArrayList<>();
      int digits = number;
      for (List<Optional<Tenant>> rates : choices.values()) {
        rates.get(digits % RATES.length).ifPresent(tenants::add);
        digits /= RATES.length;
      }
      all.add(tenants);
    }
    return all;
  }

  private Optional<Tenant> tenant(Model model, double rate) {
    if (rate == 0) {
      return Optional.empty();
    }
    Service service = models.service(model.key, model.sloMillis, rate);
    return Optional.of(
        new Tenant(
            service,
            models.profile(service),
            device,
            usage.of(model.key, device.device())));
  }

  /** The largest total rate of each named scenario that each strategy schedules. */
  public List<EvaluationRow> mostRates() {
    List<EvaluationRow> rows = new ArrayList<>();
    Map<String, Double> gains = new LinkedHashMap<>();
    for (Named named : Named.values()) {
      Map<String, Double> most = new LinkedHashMap<>();
      schedulers.forEach((name, scheduler) -> most.put(name, mostRate(named, scheduler)));
      most.forEach((name, rate) -> {
        rows.add(row(named.key, name, "max_requests_per_second", rate, null));
        double gain = rate / most.getOrDefault("sbp", rate) - 1;
        gains.merge(name, gain / Named.values().length, Double::sum);
      });
    }
    gains.forEach((name, gain) ->
        rows.add(row("named-scenarios", name, "mean_gain_over_sbp", gain, paperGain(name))));
    return rows;
  }

  private static @Nullable Double paperGain(String strategy) {
    return switch (strategy) {
      case "gpulets" -> PAPER_GAIN;
      case "gpulets-nointerference" -> PAPER_GAIN_WITHOUT;
      default -> null;
    };
  }

  /** As the paper: the rate is raised until the strategy cannot schedule it. */
  private double mostRate(Named named, Scheduler scheduler) {
    int step = 1;
    while (scheduler.of(tenants(named, step * STEP)) == Verdict.SCHEDULABLE) {
      step++;
    }
    double scale = (step - 1) * STEP;
    double total = 0;
    for (double rate : named.rates) {
      total += scale * rate;
    }
    return total;
  }

  private List<Tenant> tenants(Named named, double scale) {
    List<Tenant> tenants = new ArrayList<>();
    int i = 0;
    for (Model model : Model.values()) {
      tenant(model, scale * named.rates[i++]).ifPresent(tenants::add);
    }
    return tenants;
  }

  private static EvaluationRow row(
      String protocol, String model, String metric, double value, @Nullable Double reference) {
    return EvaluationRow.overSeeds(
        new EvaluationRow.Subject(TASK, protocol, model, metric),
        new double[] {value},
        1,
        reference);
  }
}
