package dev.cotenant.lab.memory;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.ForecastPolicy;
import dev.cotenant.lab.untimed.Replay;
import dev.cotenant.lab.untimed.SimulationRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Pods with a recorded series of used memory as arriving pods: on what each policy let share a GPU,
 * memory then ran out or not.
 *
 * <p>The pods come in random order, one every ten steps, live as long as they were recorded and
 * leave. There are as many GPUs as are needed. Every policy that plans by a pod's peak is given the
 * peak of its series, as a perfect predictor would say, or so much more or less. When a GPU has too
 * little memory the pods on it are counted as harmed and go on: what a restart would change is not
 * known.
 */
public final class MemoryReplay implements Replay {
  private static final Duration STEP = Duration.ofSeconds(57);
  private static final int STEPS_BETWEEN = 10;
  private static final int REPLAYS = 3;
  private static final int SAMPLES = 240;
  private static final int[] OVER_PERCENT = {0, 50, 100, 150, 200, 250};
  private static final double[] HEADROOMS = {0, 0.1, 0.2};
  private static final double[] STAYING_HEADROOMS = {0, 0.02};

  /**
   * Of the peaks: exact ones break nothing where they count for ever, so too small ones are tried.
   */
  private static final int[] STAYING_PERCENT = {0, -10, -20};

  /** Exact, half of it, and twice as long. */
  private static final int[] STAYS_PERCENT = {100, 50, 200};

  private static final double[] HEADROOMS_OF_STAYS = {0, 0.02, 0.05};

  private static final List<Duration> LIFETIMES =
      List.of(Duration.ofHours(1), Duration.ofHours(4), Duration.ofHours(12));
  private static final SharingLimits DEFAULT = SharingLimits.DEFAULT;
  private static final String DECIDE = "decide";
  private final String trace;
  private final List<RecordedPod> pods;
  private final MemorySize capacity;
  private final List<MemoryPolicy> policies = new ArrayList<>();

  /**
   * On GPUs that have so much memory.
   *
   * @param recorded series of pods that were alone on a GPU
   * @param device the product of the replay
   * @param capacity what its pods can use
   * @param engine forecasts and decides with the settings that ship
   */
  public MemoryReplay(
      SeriesSource.Result recorded, Device device, MemorySize capacity, Engine engine) {
    trace = recorded.format() + " on " + device.id() + " with " + capacity;
    pods = recorded.devices().stream().map(pod -> RecordedPod.of(pod, STEP)).toList();
    this.capacity = capacity;
    UsedMemorySeries series = new UsedMemorySeries(STEP, SAMPLES, capacity);
    policies.add(MemoryBaselines.exclusive());
    for (int percent : OVER_PERCENT) {
      policies.add(MemoryBaselines.gpuShare(request(percent)));
    }
    policies.add(MemoryBaselines.threeTenants());
    for (int percent : OVER_PERCENT) {
      policies.add(MemoryBaselines.resAware(request(percent), series));
    }
    for (int percent : OVER_PERCENT) {
      String name = percent == 0 ? DECIDE : DECIDE + "+" + percent + "%";
      policies.add(DecidedMemory.policy(name, engine, setting(device, DEFAULT, percent, series)));
    }
    for (double headroom : HEADROOMS) {
      String name = DECIDE + " headroom=" + Math.round(100.0 * headroom) + "%";
      policies.add(
          DecidedMemory.policy(name, engine, setting(device, limits(headroom), 0, series)));
    }
    addForecasts(device, engine, series);
    policies.add(MemoryBaselines.oracle(capacity));
  }

  /** With other forecasts than ten minutes ahead: further, published, none, grants that stay. */
  private void addForecasts(Device device, Engine engine, UsedMemorySeries series) {
    DecidedMemory.Setting standard = setting(device, DEFAULT, 0, series);
    for (Duration lifetime : LIFETIMES) {
      String name = DECIDE + " lifetime=" + lifetime.toHours() + "h";
      Engine further = Engine.lazy(forecasting(engine, ForecastPolicy.PEAK_BOUND, lifetime));
      policies.add(DecidedMemory.policy(name, further, standard));
    }
    Duration usual = EngineSettings.Forecasting.DEFAULT.decisionHorizon();
    Engine published = Engine.lazy(forecasting(engine, ForecastPolicy.RESAWARE, usual));
    policies.add(DecidedMemory.policy(DECIDE + " forecast=resaware", published, standard));
    policies.add(
        DecidedMemory.policy(DECIDE + " forecast=none", engine, standard.withoutForecasts()));
    DecidedMemory.Setting full = setting(device, limits(0), 0, series);
    policies.add(
        DecidedMemory.policy(
            DECIDE + " headroom=0% forecast=none", engine, full.withoutForecasts()));
    addStays(device, engine, series);
    Engine staying = Engine.lazy(forecasting(engine, ForecastPolicy.GRANTS, usual));
    for (int percent : STAYING_PERCENT) {
      String decide = percent == 0 ? DECIDE : DECIDE + percent + "%";
      policies.add(
          DecidedMemory.policy(
              decide + " forecast=grants", staying, setting(device, DEFAULT, percent, series)));
      for (double headroom : STAYING_HEADROOMS) {
        String name = decide + " headroom=" + Math.round(100 * headroom) + "% forecast=grants";
        policies.add(
            DecidedMemory.policy(
                name, staying, setting(device, limits(headroom), percent, series)));
      }
    }
  }

  /** Where grants count as long as pods are expected to stay, by what share of their lives. */
  private void addStays(Device device, Engine engine, UsedMemorySeries series) {
    Duration usual = EngineSettings.Forecasting.DEFAULT.decisionHorizon();
    Engine staying = Engine.lazy(forecasting(engine, ForecastPolicy.STAY, usual));
    for (int known : STAYS_PERCENT) {
      for (double headroom : HEADROOMS_OF_STAYS) {
        String name =
            DECIDE
                + " headroom="
                + Math.round(100 * headroom)
                + "% forecast=stay stay="
                + known
                + "%";
        DecidedMemory.Setting setting = setting(device, limits(headroom), 0, series);
        policies.add(DecidedMemory.policy(name, staying, setting.withStays(known)));
      }
    }
  }

  private static EngineSettings forecasting(
      Engine engine, ForecastPolicy policy, Duration lifetime) {
    return EngineSettings.DEFAULT
        .withDevices(engine.devices())
        .withForecasting(
            new EngineSettings.Forecasting(
                policy, EngineSettings.Forecasting.DEFAULT.chain(), lifetime));
  }

  private MemoryBaselines.Request request(int overPercent) {
    return new MemoryBaselines.Request(overPercent, capacity);
  }

  private DecidedMemory.Setting setting(
      Device device, SharingLimits limits, int overPercent, UsedMemorySeries series) {
    return new DecidedMemory.Setting(
        device, limits, request(overPercent), series, DecidedMemory.Forecasts.USED, 0);
  }

  private static SharingLimits limits(double headroom) {
    return DEFAULT.withMemoryHeadroom(headroom);
  }

  @Override
  public List<String> policies() {
    return policies.stream().map(MemoryPolicy::name).toList();
  }

  @Override
  public List<SimulationRow> run(Predicate<String> wanted, Consumer<String> progress) {
    Map<String, MemoryTotal> totals = new LinkedHashMap<>();
    for (MemoryPolicy policy : policies) {
      if (wanted.test(policy.name()) || policy.name().equals(MemoryBaselines.ORACLE)) {
        progress.accept(policy.name());
        MemoryTotal total = new MemoryTotal(STEP, capacity);
        for (int seed = 0; seed < REPLAYS; seed++) {
          replay(policy, seed).forEach(total::add);
        }
        totals.put(policy.name(), total);
      }
    }
    double best =
        totals.getOrDefault(MemoryBaselines.ORACLE, new MemoryTotal(STEP, capacity)).podsPerGpu();
    List<SimulationRow> rows = new ArrayList<>();
    totals.forEach((name, total) -> {
      if (wanted.test(name)) {
        rows.add(new SimulationRow(trace, "memory", name, total.figures(best)));
      }
    });
    return rows;
  }

  private List<MemoryGpu> replay(MemoryPolicy policy, long seed) {
    List<RecordedPod> order = new ArrayList<>(pods);
    Collections.shuffle(order, new Random(seed));
    List<MemoryGpu> gpus = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      int step = i * STEPS_BETWEEN;
      RecordedPod pod = order.get(i);
      List<MemoryGpu> used = gpus.stream().filter(gpu -> !gpu.at(step).isEmpty()).toList();
      policy.choice().of(pod, used, step).orElseGet(() -> opened(gpus, step)).add(pod, step);
    }
    return gpus;
  }

  private static MemoryGpu opened(List<MemoryGpu> gpus, int step) {
    MemoryGpu gpu = new MemoryGpu(String.format(Locale.ROOT, "GPU-%04d", gpus.size()), step);
    gpus.add(gpu);
    return gpu;
  }
}
