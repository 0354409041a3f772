package dev.cotenant.engine.fleet;

import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.serving.ControllerSettings;
import dev.cotenant.serving.ControllerState;
import dev.cotenant.serving.Decision;
import dev.cotenant.serving.FleetController;
import dev.cotenant.serving.FleetReading;
import dev.cotenant.serving.FleetReading.Measured;
import dev.cotenant.serving.FleetReading.Rate;
import dev.cotenant.serving.deployment.FleetTarget;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A fleet in shadow mode: computes a target from measurements and applies nothing. The target of
 * one period is the start of the next. One thread at a time.
 */
public final class FleetLoop implements AutoCloseable {
  /*
   * Latencies are those of what really runs. They correct the model only as long as that is the
   * target: while the placement that the document states is still what is wanted.
   */
  private static final Duration MAX_AGE = Duration.ofSeconds(90);

  private final WatchedFleet watched;
  private final FleetSource source;
  private final FleetController controller;
  private final FleetViews views;
  private final FleetTarget stated;
  private ControllerState state;

  /** From a state on. */
  FleetLoop(WatchedFleet watched, FleetSource source, ControllerState state) {
    this.watched = watched;
    this.source = source;
    this.state = state;
    controller = new FleetController(watched.fleet(), ControllerSettings.defaults());
    views = new FleetViews(watched);
    stated = watched.fleet().placement().isEmpty() ? FleetTarget.NONE : watched.start().target();
  }

  /** From the beginning. */
  public static FleetLoop of(WatchedFleet watched, PrometheusSettings server) {
    return new FleetLoop(watched, new FleetMetrics(server, MAX_AGE), watched.start());
  }

  /** Reads, decides, and says what is wanted. */
  public FleetView step(Instant at) {
    FleetReading reading = source.read(watched.queries(), at);
    ControllerState before = state;
    boolean runs = before.target().isPlacedAs(stated);
    Decision decision = controller.decide(before, runs ? reading : withoutLatencies(reading));
    state = decision.after();
    return views.of(before, decision, reading, at, isComparable());
  }

  /** Whether drift is meaningful: without a stated placement, the comparison is with the target. */
  private boolean isComparable() {
    return stated.equals(FleetTarget.NONE) || state.target().isPlacedAs(stated);
  }

  private static FleetReading withoutLatencies(FleetReading reading) {
    SortedMap<String, Measured> services = new TreeMap<>();
    reading
        .services()
        .forEach((name, measured) ->
            services.put(
                name,
                measured instanceof Rate rate
                    ? new Rate(
                        rate.requestsPerSecond(), OptionalDouble.empty(), OptionalDouble.empty())
                    : measured));
    return new FleetReading(services);
  }

  /** What is remembered. */
  ControllerState state() {
    return state;
  }

  /** Ends what is under way. */
  @Override
  public void close() {
    source.close();
  }
}
