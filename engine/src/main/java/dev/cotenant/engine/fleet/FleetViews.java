package dev.cotenant.engine.fleet;

import dev.cotenant.engine.fleet.FleetView.FleetChange;
import dev.cotenant.engine.fleet.FleetView.FleetShortfall;
import dev.cotenant.engine.fleet.FleetView.FleetStep;
import dev.cotenant.engine.fleet.FleetView.TargetGpu;
import dev.cotenant.engine.fleet.FleetView.TargetPartition;
import dev.cotenant.engine.fleet.FleetView.WatchedWorkload;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.serving.Change;
import dev.cotenant.serving.ControllerState;
import dev.cotenant.serving.ControllerState.ServiceState;
import dev.cotenant.serving.Decision;
import dev.cotenant.serving.FleetReading;
import dev.cotenant.serving.FleetReading.Rate;
import dev.cotenant.serving.deployment.FleetTarget;
import dev.cotenant.serving.deployment.Step;
import dev.cotenant.serving.deployment.StepOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decisions as people and programs read them. */
final class FleetViews {
  private static final double HUNDRED = 100;

  private final WatchedFleet watched;
  private final LatencyPredictor latency;

  FleetViews(WatchedFleet watched) {
    this.watched = watched;
    latency = new LatencyPredictor(watched.fleet());
  }

  /**
   * @param runs whether the measurements may be of the target; otherwise no drift is reported
   */
  FleetView of(
      ControllerState before, Decision decision, FleetReading reading, Instant at, boolean runs) {
    ControllerState after = decision.after();
    FleetTarget target = after.target();
    List<TargetGpu> gpus = new ArrayList<>();
    target
        .gpus()
        .forEach((name, gpu) ->
            gpus.add(
                new TargetGpu(
                    name,
                    gpu.device(),
                    gpu.replicas().stream()
                        .map(each ->
                            new TargetPartition(
                                each.id(),
                                each.service(),
                                each.share().percent(),
                                each.batch(),
                                rounded(each.requestsPerSecond())))
                        .toList())));
    return new FleetView(
        at.toString(),
        after.period(),
        gpus,
        workloads(decision, reading, runs),
        decision.changes().stream().map(FleetViews::change).toList(),
        StepOrder.of(before.target(), target).stream().map(FleetViews::step).toList(),
        decision.shortfalls().stream().map(FleetViews::shortfall).toList(),
        decision.deferred(),
        watched.notes());
  }

  private List<WatchedWorkload> workloads(Decision decision, FleetReading reading, boolean runs) {
    Map<String, String> held =
        decision.unusableRates().stream()
            .collect(Collectors.toMap(Decision.UnusableRate::service, each -> each.why().clause()));
    Map<String, Double> rates = new TreeMap<>();
    decision.after().services().forEach((name, each) -> rates.put(name, each.rates().average()));
    Map<String, Double> predicted = latency.p99Millis(decision.after().target(), rates);
    List<WatchedWorkload> entries = new ArrayList<>();
    for (Service service : watched.fleet().services()) {
      ServiceState state = decision.after().services().get(service.name());
      if (state != null) {
        entries.add(
            workload(
                service,
                state,
                reading.services().get(service.name()),
                finite(predicted.get(service.name())),
                runs,
                held.get(service.name())));
      }
    }
    return entries;
  }

  private static WatchedWorkload workload(
      Service service,
      ServiceState state,
      FleetReading.@Nullable Measured measured,
      @Nullable Double predicted,
      boolean runs,
      @Nullable String held) {
    Double p99 = null;
    Double mean = null;
    if (measured instanceof Rate rate) {
      p99 = value(rate.p99Millis());
      mean = value(rate.meanMillis());
    }
    Double drift = null;
    if (runs && p99 != null && predicted != null && p99 > 0 && predicted > 0) {
      drift = Math.log(p99 / predicted);
    }
    return new WatchedWorkload(
        service.name(),
        service.sloMillis(),
        rounded(state.rates().average()),
        rounded(state.plannedPerSecond()),
        predicted == null ? null : rounded(predicted),
        p99 == null ? null : rounded(p99),
        mean == null ? null : rounded(mean),
        drift == null ? null : rounded(drift),
        state.correction(),
        held);
  }

  private static @Nullable Double finite(@Nullable Double value) {
    return value != null && value < Double.POSITIVE_INFINITY ? value : null;
  }

  private static @Nullable Double value(OptionalDouble value) {
    return value.isPresent() ? value.getAsDouble() : null;
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDRED) / HUNDRED;
  }

  private static FleetChange change(Change change) {
    String kind =
        switch (change) {
          case Change.NewBatch _ -> "batch";
          case Change.NewShare _ -> "share";
          case Change.Stop _ -> "stop";
          case Change.Start _ -> "start";
          case Change.Move _ -> "move";
        };
    return new FleetChange(
        kind, change.service(), change.gpu(), change.clause(), change.cause().clause());
  }

  private static FleetStep step(Step step) {
    return switch (step) {
      case Step.Start start ->
          new FleetStep(
              "start",
              start.id(),
              start.service(),
              start.gpu(),
              start.share().percent(),
              start.batch());
      case Step.Set set ->
          new FleetStep("set", set.id(), null, null, set.share().percent(), set.batch());
      case Step.Stop stop -> new FleetStep("stop", stop.id(), null, null, null, null);
    };
  }

  private static FleetShortfall shortfall(Decision.Shortfall each) {
    return new FleetShortfall(
        each.service(),
        rounded(each.neededPerSecond()),
        rounded(each.servedPerSecond()),
        each.moreGpus(),
        each.device(),
        each.sentence());
  }
}
