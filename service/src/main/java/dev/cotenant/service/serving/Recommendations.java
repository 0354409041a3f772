package dev.cotenant.service.serving;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.sizing.GpuPrices;
import dev.cotenant.engine.sizing.RightSizing;
import dev.cotenant.engine.sizing.UsageHistory;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The memory that suffices for workloads, from what their pods used. Reads the metrics server, one
 * caller at a time. Thread safe.
 */
public final class Recommendations {
  private final Optional<PrometheusSettings> metrics;
  private final Supplier<GateView> view;
  private final ToDoubleFunction<String> configured;
  private final InstantSource clock;
  private final ReentrantLock reading = new ReentrantLock();

  /**
   * @param metrics the metrics server; empty where none is configured
   * @param view of the gate, whose grants have predictions; without them where it does not lead
   * @param configured price of a GPU hour by product, as the driver names it; NaN without one
   */
  public Recommendations(
      Optional<PrometheusSettings> metrics,
      Supplier<GateView> view,
      ToDoubleFunction<String> configured,
      InstantSource clock) {
    this.metrics = metrics;
    this.view = view;
    this.configured = configured;
    this.clock = clock;
  }

  /**
   * What is wanted.
   *
   * @param history that is read
   * @param window period of the samples, and of the recommendations' validity
   * @param level probability that the recommendations suffice
   * @param prices of a GPU hour; of other products the configured ones count
   */
  public record Wanted(Duration history, Duration window, Coverage level, GpuPrices prices) {}

  /**
   * Recommends for the workloads of a namespace.
   *
   * @param namespace null for all
   * @throws ConflictException ({@code recommendations-running}) while another caller is served
   * @throws InputException ({@code metrics-unavailable}, {@code metrics-missing}) where the metrics
   *     server does not answer, or has no used memory by pod
   */
  public RightSizing.Result recommend(@Nullable String namespace, Wanted wanted) {
    if (metrics.isEmpty()) {
      return new RightSizing.Result(
          List.of(),
          List.of(),
          List.of("no metrics server is configured: set cotenant.prometheus.url"));
    }
    PrometheusSettings settings = metrics.get();
    if (!reading.tryLock()) {
      throw new ConflictException(
          "recommendations-running",
          "The history of workloads is being read for another caller: retry.");
    }
    try (PrometheusHistory server = new PrometheusHistory(settings)) {
      Duration step = RightSizing.step(wanted.window(), settings.range().collection());
      UsageHistory.Span span = new UsageHistory.Span(clock.instant(), wanted.history(), step);
      return new RightSizing(
              wanted.window(), step, wanted.level(), product -> price(wanted, product))
          .of(
              new UsageHistory(server, settings.metrics(), GpuDialect.memoryResources(), span)
                  .read(namespace),
              predicted(),
              span.end());
    } finally {
      reading.unlock();
    }
  }

  private double price(Wanted wanted, String product) {
    double stated = wanted.prices().of(product);
    return Double.isNaN(stated) ? configured.applyAsDouble(product) : stated;
  }

  /** Upper bounds of granted pods, by {@code namespace/pod}. */
  private Map<String, MemorySize> predicted() {
    Map<String, MemorySize> predicted = new HashMap<>();
    for (Holding held : view.get().granted().values()) {
      Prediction prediction = held.decision().grants().getFirst().prediction();
      if (prediction != null) {
        predicted.put(held.pod().pod().toString(), prediction.peakMemory().upper());
      }
    }
    return predicted;
  }
}
