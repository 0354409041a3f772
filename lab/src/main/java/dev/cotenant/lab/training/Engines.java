package dev.cotenant.lab.training;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.simulator.event.Draws;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.Submission;
import dev.cotenant.simulator.world.Truth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Inference engines of ResAware: each starts, loads its model while its memory grows, answers so
 * many queries one after the other, and ends.
 *
 * <p>The paper prints counts of engines and queries, and 7 GB for ssd-mobilenet. Times a query,
 * start-up, the other engines' memory and utilizations are assumptions.
 *
 * @param name of the workload
 * @param kinds engines in it
 */
record Engines(String name, List<Kind> kinds) {
  private static final Duration START_UP = Duration.ofSeconds(5);
  private static final Duration LOADING = Duration.ofSeconds(15);
  private static final double MIN_INTERVAL = 5;
  private static final double MAX_INTERVAL = 10;
  private static final MemorySize CONTEXT = MemorySize.ofMiB(500);

  /**
   * Engines of one kind.
   *
   * @param model its name
   * @param queries of each
   * @param count how many
   * @param use of a GPU
   */
  record Kind(String model, int queries, int count, Use use) {}

  /** Milliseconds a query, peak memory in GiB, utilization in percent while it answers. */
  record Use(int millis, int gibibytes, double percent) {}

  private static final Use MOBILENET = new Use(10, 4, 12);
  private static final Use MOBILENET_QUANTIZED = new Use(40, 4, 6);
  private static final Use RESNET50 = new Use(15, 5, 25);
  private static final Use SSD = new Use(40, 7, 12);

  /** ssd-mobilenet; the paper does not print how many: as many as in Table 2. */
  static Engines homogeneous() {
    return new Engines("homogeneous", List.of(new Kind("ssd-mobilenet", 1024, 25, SSD)));
  }

  /** [ResAware, Table 2]. */
  static Engines heterogeneous() {
    return new Engines(
        "heterogeneous",
        List.of(
            new Kind("mobilenet", 1024, 2, MOBILENET),
            new Kind("mobilenet", 2048, 2, MOBILENET),
            new Kind("mobilenet-quantized", 256, 2, MOBILENET_QUANTIZED),
            new Kind("mobilenet-quantized", 512, 2, MOBILENET_QUANTIZED),
            new Kind("resnet50", 4096, 2, RESNET50),
            new Kind("resnet50", 8192, 2, RESNET50),
            new Kind("ssd-mobilenet", 128, 3, SSD),
            new Kind("ssd-mobilenet", 1024, 2, SSD),
            new Kind("ssd-mobilenet-finetuned", 64, 2, SSD),
            new Kind("ssd-mobilenet-finetuned", 1024, 2, SSD),
            new Kind("ssd-mobilenet-symmetric", 512, 2, SSD),
            new Kind("ssd-mobilenet-symmetric", 4096, 2, SSD)));
  }

  /** How many there are. */
  int count() {
    return kinds.stream().mapToInt(Kind::count).sum();
  }

  /**
   * All engines in random order, at uniform intervals of 5 to 10 s.
   *
   * @param overProvisioned part of the peak that is requested beyond it
   * @param measuredOn device of the earlier measurements of each kind; null without predictions
   */
  List<Arrival> arrivals(double overProvisioned, @Nullable Device measuredOn, long seed) {
    Draws draws = new Draws(seed);
    List<Kind> waiting = new ArrayList<>();
    kinds.forEach(kind -> {
      for (int i = 0; i < kind.count(); i++) {
        waiting.add(kind);
      }
    });
    List<Arrival> arrivals = new ArrayList<>();
    double at = 0;
    while (!waiting.isEmpty()) {
      at += draws.uniform(MIN_INTERVAL, MAX_INTERVAL);
      Kind kind = waiting.remove(draws.index(waiting.size()));
      MemorySize peak = MemorySize.ofGiB(kind.use().gibibytes());
      arrivals.add(
          new Arrival(
              Draws.seconds(at),
              new Submission(
                  "engine-" + arrivals.size(),
                  kind.model() + " " + kind.queries(),
                  peak.times(1 + overProvisioned),
                  predictions(kind, measuredOn)),
              truth(kind, peak)));
    }
    return arrivals;
  }

  private static Map<DeviceId, Prediction> predictions(Kind kind, @Nullable Device device) {
    return device == null
        ? Map.of()
        : Map.of(
            device.id(),
            Predictions.exact(
                device, kind.use().percent(), MemorySize.ofGiB(kind.use().gibibytes())));
  }

  private static Truth truth(Kind kind, MemorySize peak) {
    Phase.Load idle = new Phase.Load(kind.model(), 0);
    Phase.Load busy = new Phase.Load(kind.model(), kind.use().percent());
    Duration queries = Duration.ofMillis((long) kind.queries() * kind.use().millis());
    return Truth.of(
        List.of(
            Phase.of(START_UP, idle, MemorySize.ZERO),
            new Phase(LOADING, idle, CONTEXT, peak),
            Phase.of(queries, busy, peak)));
  }
}
