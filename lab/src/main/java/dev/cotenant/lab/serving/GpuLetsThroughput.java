package dev.cotenant.lab.serving;

import static dev.cotenant.lab.figure.Sheet.percent;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Cell.Bar;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.figure.Sheet;
import dev.cotenant.lab.figure.Sheet.Published;
import dev.cotenant.lab.figure.Sheet.Versus;
import dev.cotenant.lab.gpulets.GletApplication;
import dev.cotenant.lab.gpulets.NamedScenario;
import dev.cotenant.lab.gpulets.PaperModel;
import dev.cotenant.lab.gpulets.ShareInterpretation;
import dev.cotenant.lab.requests.RateCurve;
import dev.cotenant.lab.requests.RequestStream;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.placement.fleet.FleetPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;

/**
 * Figures 12, 13 and 16 of gpu-lets: the largest rates of two applications and three scenarios on
 * four GPUs, and the violations at them.
 *
 * <p>Rates rise by 2 % until a strategy has no place for them. At the largest rate that it has a
 * place for, requests are simulated (Figure 13). Then rates fall by 5 % until at most 1 % of
 * requests is late or dropped (Figure 12, which counts rates that are scheduled and hold).
 */
public final class GpuLetsThroughput implements Preset {
  public static final Card CARD =
      new Card(
          "gpu-lets-throughput",
          "Largest rates of two applications and three scenarios on four GPUs, and violations at"
              + " them, by strategy",
          "gpu-lets (ATC 2022), Figures 12, 13 and 16",
          20);

  private static final String SBP = "sbp";
  private static final String TUNING = "self-tuning";
  private static final String WITHOUT = "gpulets-nointerference";
  private static final String GPULETS = "gpulets";
  private static final String WHOLE_RATES = "gpulets, whole rates";
  private static final String EXACT = "gpulets, whole rates, exact factor";
  private static final String CHOICE = "chosen by simulation";
  private static final String IDEAL = "ideal";
  private static final double PRECISION = 1.005;
  private static final double DOWN = 0.95;
  private static final double HELD = 0.01;
  private static final double MIN_PART = 0.05;
  private static final String OVER_SBP = "mean_scheduled_over_sbp";
  private static final String OVER_TUNING = "mean_scheduled_over_self_tuning";
  private static final String OVER_GPULETS = "mean_held_over_gpulets";
  private static final String OVER_IDEAL = "mean_scheduled_over_ideal";
  private static final String READING =
      "the authors' latencies are not public, times come from graphs and measured effects of"
          + " shares; the division of an application's objective is ours; as in the authors' code,"
          + " a tenth of each gpu-let's throughput is held back, and 85 % of a rate is enough"
          + " beside a neighbour";
  private static final String UNPUBLISHED = "drawn without numbers, or not in the paper";
  private static final String AT_MOST_ONE_PERCENT =
      "the paper's text: at most 1 %, the median of three runs. A rate that is served to 85 %"
          + " beside a neighbour cannot hold; with whole rates what is left comes from errors of"
          + " the interference factor";
  private static final String OURS =
      "our own planner: plans of gpu-lets for more than the rates, the best in a simulation; the"
          + " largest rates with at most 1 % of violations, in parts of what gpulets schedules,"
          + " over those of gpulets; 0 where not even a twentieth holds";

  /** Within 10 % of the published figure. */
  private static final double CLOSE = 0.9;

  private final GpuLetsRun asCoded;
  private final GpuLetsRun whole;
  private final List<Load> loads;
  private final Duration time;

  public GpuLetsThroughput(List<UtilizationCell> cells) {
    this(cells, loads(), Duration.ofSeconds(20));
  }

  public GpuLetsThroughput(List<UtilizationCell> cells, List<Load> loads, Duration time) {
    asCoded = GpuLetsRun.of(cells, ShareInterpretation.MEASURED_SHARES_85);
    whole = GpuLetsRun.of(cells, ShareInterpretation.MEASURED_SHARES);
    this.loads = List.copyOf(loads);
    this.time = time;
  }

  /**
   * Requests that grow together.
   *
   * @param name of the application or scenario
   * @param rates inferences a second by model at a scale
   * @param objectives by model, where they are not the models' own
   * @param streams at a scale
   */
  record Load(
      String name,
      DoubleFunction<Map<String, Double>> rates,
      Map<String, Double> objectives,
      DoubleFunction<List<RequestStream>> streams) {
    static Load of(GletApplication application) {
      return new Load(
          application.key(),
          application::rates,
          application.objectives(),
          scale -> List.of(application.stream(scale)));
    }

    static Load of(NamedScenario scenario) {
      return new Load(
          scenario.key(),
          scale -> rates(scenario, scale),
          Map.of(),
          scale -> streams(scenario, scale));
    }

    private static Map<String, Double> rates(NamedScenario scenario, double scale) {
      Map<String, Double> rates = new TreeMap<>();
      Iterator<Double> each = scenario.rates(scale).iterator();
      for (PaperModel model : PaperModel.values()) {
        rates.put(model.key(), each.next());
      }
      return rates;
    }

    private static List<RequestStream> streams(NamedScenario scenario, double scale) {
      List<RequestStream> streams = new ArrayList<>();
      Map<String, Double> rates = rates(scenario, scale);
      for (PaperModel model : PaperModel.values()) {
        double rate = Objects.requireNonNull(rates.get(model.key()));
        if (rate > 0) {
          streams.add(RequestStream.of(model.key(), model.sloMillis(), RateCurve.constant(rate)));
        }
      }
      return streams;
    }
  }

  static List<Load> loads() {
    List<Load> all =
        new ArrayList<>(List.of(Load.of(GletApplication.GAME), Load.of(GletApplication.TRAFFIC)));
    for (NamedScenario scenario : NamedScenario.values()) {
      all.add(Load.of(scenario));
    }
    return all;
  }

  /**
   * One strategy and seed.
   *
   * @param scheduled the largest scale by load that it has a place for
   * @param held the largest at which at most 1 % of requests is late or dropped; 0 where not even a
   *     twentieth of the first is
   * @param violations at the first, percent
   */
  private record Figures(
      Map<String, Double> scheduled, Map<String, Double> held, Map<String, Double> violations) {
    /**
     * Ratio of held rates; a rate of the other that did not hold counts as the lowest tried one.
     */
    double ratio(String load, Figures other) {
      double least = MIN_PART * of(other.scheduled, load);
      return of(held, load) / Math.max(least, of(other.held, load));
    }

    static double of(Map<String, Double> figures, String load) {
      return Objects.requireNonNull(figures.get(load));
    }

    /** How much larger the scales are that hold, each in parts of the other's largest. */
    double meanHeld(Figures other) {
      return parts(other.scheduled) / other.parts(other.scheduled);
    }

    private double parts(Map<String, Double> whole) {
      return held.keySet().stream().mapToDouble(load -> of(held, load) / of(whole, load)).sum();
    }

    /** The mean over loads of how much larger the largest scales are. */
    double meanScheduled(Map<String, Double> other) {
      return scheduled.keySet().stream()
          .mapToDouble(load -> of(scheduled, load) / of(other, load))
          .average()
          .orElse(0);
    }
  }

  /** Plans of a strategy. */
  interface Planning {
    /** A plan at a scale; empty where not all of it has a place. */
    Optional<FleetPlan> plan(Load load, double scale);

    /** Whether there is one. */
    default boolean schedules(Load load, double scale) {
      return plan(load, scale).isPresent();
    }
  }

  /** What plans, and the server on which its requests run. */
  private record Contender(Planning planning, GpuLetsRun run) {
    static Contender of(String strategy, GpuLetsRun run) {
      Planning planning =
          (load, scale) ->
              run.server().plan(strategy, load.rates().apply(scale), load.objectives());
      return new Contender(planning, run);
    }

    double violations(Load load, double scale, Duration time, long seed) {
      FleetPlan plan =
          planning.plan(load, scale).orElse(FleetPlan.of("none", List.of(), List.of()));
      ServingTotals totals = run.of(load.streams().apply(scale), _ -> plan, time, seed);
      return totals.all().violationShare();
    }
  }

  private Map<String, Contender> contenders() {
    Map<String, Contender> all = new LinkedHashMap<>();
    for (String name : List.of(SBP, TUNING, WITHOUT, GPULETS)) {
      all.put(name, Contender.of(name, asCoded));
    }
    all.put(WHOLE_RATES, Contender.of(GPULETS, whole));
    all.put(EXACT, Contender.of(GPULETS, whole.exactly()));
    all.put(CHOICE, new Contender(new SimulatedChoice(List.of(whole, asCoded)), whole));
    return all;
  }

  @Override
  public List<Cell> run(int seeds, Consumer<String> progress) {
    Map<String, List<Figures>> all = new LinkedHashMap<>();
    contenders()
        .forEach((name, contender) -> {
          progress.accept(name);
          Map<String, Double> scheduled = scheduled(contender);
          List<Figures> figures = new ArrayList<>();
          for (int seed = 0; seed < seeds; seed++) {
            figures.add(figures(contender, scheduled, seed));
          }
          all.put(name, figures);
        });
    List<Cell> cells = new ArrayList<>(figure12(all));
    cells.addAll(figure13(all));
    progress.accept(IDEAL);
    cells.addAll(figure16(all, scheduled(Contender.of(IDEAL, asCoded))));
    return cells;
  }

  private Map<String, Double> scheduled(Contender contender) {
    Map<String, Double> scheduled = new LinkedHashMap<>();
    loads.forEach(load -> scheduled.put(load.name(), largest(contender.planning(), load)));
    return scheduled;
  }

  private Figures figures(Contender contender, Map<String, Double> scheduled, long seed) {
    Map<String, Double> held = new HashMap<>();
    Map<String, Double> violations = new HashMap<>();
    for (Load load : loads) {
      double most = Figures.of(scheduled, load.name());
      double share = contender.violations(load, most, time, seed);
      violations.put(load.name(), 100 * share);
      double scale = most;
      while (share > HELD && scale > MIN_PART * most) {
        scale *= DOWN;
        share = contender.violations(load, scale, time, seed);
      }
      held.put(load.name(), share > HELD ? 0 : scale);
    }
    return new Figures(scheduled, held, violations);
  }

  private static double largest(Planning planning, Load load) {
    double high = 1;
    while (planning.schedules(load, high)) {
      high *= 2;
    }
    double low = 0;
    while (high > low * PRECISION) {
      double middle = (low + high) / 2;
      boolean placed = planning.schedules(load, middle);
      low = placed ? middle : low;
      high = placed ? high : middle;
    }
    return low;
  }

  private List<Cell> figure12(Map<String, List<Figures>> all) {
    Set<String> metrics = new LinkedHashSet<>();
    Sheet<Map<String, Double>> sheet = new Sheet<>("Figure 12");
    all.forEach((strategy, figures) -> {
      for (int seed = 0; seed < figures.size(); seed++) {
        Figures own = figures.get(seed);
        Figures sbp = Objects.requireNonNull(all.get(SBP)).get(seed);
        Figures gpulets = Objects.requireNonNull(all.get(GPULETS)).get(seed);
        Figures tuning = Objects.requireNonNull(all.get(TUNING)).get(seed);
        Map<String, Double> row = new LinkedHashMap<>();
        row.put(OVER_SBP, own.meanScheduled(sbp.scheduled()));
        row.put(OVER_TUNING, own.meanScheduled(tuning.scheduled()));
        row.put(OVER_GPULETS, own.meanHeld(gpulets));
        loads.forEach(load -> row.put("held_over_sbp_" + load.name(), own.ratio(load.name(), sbp)));
        sheet.add(strategy, row);
        metrics.addAll(row.keySet());
      }
    });
    Map<String, Published> published =
        Map.of(
            OVER_SBP + " " + GPULETS, close(2.026),
            OVER_SBP + " " + WITHOUT, close(2.06),
            OVER_TUNING + " " + GPULETS, new Published(1.748, null, READING),
            OVER_GPULETS + " " + CHOICE, new Published(null, Bar.atLeast(1), OURS),
            "held_over_sbp_game " + GPULETS, new Published(1502.0 / 720, null, READING));
    cells(sheet, metrics, published);
    sheet.margin(
        "held_rate_percent",
        new Versus(CHOICE, GPULETS),
        percent(row -> Objects.requireNonNull(row.get(OVER_GPULETS))),
        new Published(null, Bar.atLeast(0), OURS));
    return sheet.cells();
  }

  private static Published close(double published) {
    return new Published(published, Bar.atLeast(CLOSE * published), READING);
  }

  private List<Cell> figure13(Map<String, List<Figures>> all) {
    Set<String> metrics = new LinkedHashSet<>();
    Sheet<Map<String, Double>> sheet = new Sheet<>("Figure 13");
    all.forEach((strategy, figures) ->
        figures.forEach(own -> {
          Map<String, Double> row = new LinkedHashMap<>();
          loads.forEach(load ->
              row.put(
                  "violation_percent_" + load.name(), Figures.of(own.violations(), load.name())));
          sheet.add(strategy, row);
          metrics.addAll(row.keySet());
        }));
    for (String metric : metrics) {
      sheet.figure(
          metric,
          row -> Objects.requireNonNull(row.get(metric)),
          strategy ->
              switch (strategy) {
                case GPULETS, WHOLE_RATES -> new Published(1.0, null, AT_MOST_ONE_PERCENT);
                case EXACT -> new Published(1.0, Bar.atMost(1), AT_MOST_ONE_PERCENT);
                default -> Published.none(UNPUBLISHED);
              });
    }
    return sheet.cells();
  }

  private List<Cell> figure16(Map<String, List<Figures>> all, Map<String, Double> ideal) {
    Set<String> metrics = new LinkedHashSet<>();
    Sheet<Map<String, Double>> sheet = new Sheet<>("Figure 16");
    all.forEach((strategy, figures) -> {
      Figures own = figures.getFirst();
      Map<String, Double> row = new LinkedHashMap<>();
      row.put(OVER_IDEAL, own.meanScheduled(ideal));
      loads.forEach(load ->
          row.put(
              "scheduled_over_ideal_" + load.name(),
              Figures.of(own.scheduled(), load.name()) / Figures.of(ideal, load.name())));
      sheet.add(strategy, row);
      metrics.addAll(row.keySet());
    });
    Map<String, Published> published =
        Map.of(
            OVER_IDEAL + " " + GPULETS, close(0.923),
            "scheduled_over_ideal_traffic " + GPULETS, close(0.877));
    return cells(sheet, metrics, published);
  }

  private static List<Cell> cells(
      Sheet<Map<String, Double>> sheet, Set<String> metrics, Map<String, Published> published) {
    for (String metric : metrics) {
      sheet.figure(
          metric,
          row -> Objects.requireNonNull(row.get(metric)),
          policy -> published.getOrDefault(metric + " " + policy, Published.none(UNPUBLISHED)));
    }
    return sheet.cells();
  }
}
