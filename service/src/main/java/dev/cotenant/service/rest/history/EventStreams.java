package dev.cotenant.service.rest.history;

import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.decision.LeadingCause;
import dev.cotenant.admission.gate.GateView.Waiting;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.engine.cluster.ReadingsSource;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.decisions.DecisionHistory;
import dev.cotenant.service.history.Figure;
import dev.cotenant.service.history.GpuRow;
import dev.cotenant.service.history.LiveState;
import dev.cotenant.service.rest.history.EventView.HarmView;
import dev.cotenant.service.rest.history.EventView.PairView;
import io.smallrye.mutiny.Multi;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Streams of what changes in the cluster, a bounded number of them at a time. */
public final class EventStreams {
  /** Streams at a time. */
  static final int MAX = 64;

  /** The worst; the totals count all. */
  private static final int MAX_HARM = 10;

  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /** A client connects again, and its right is checked again. */
  private static final Duration LENGTH = Duration.ofMinutes(4);

  private final LiveState state;
  private final Sources sources;
  private final AtomicInteger open = new AtomicInteger();

  /**
   * What events show beside GPUs.
   *
   * @param predictor label of the serving version
   * @param horizon for which the use of memory is bounded ahead
   */
  public record Sources(
      ReadingsSource readings,
      SharingLimits limits,
      DecisionHistory decisions,
      Supplier<String> predictor,
      ServiceSettings.Devices devices,
      Duration horizon) {}

  public EventStreams(LiveState state, Sources sources) {
    this.state = state;
    this.sources = sources;
  }

  /** Whether as many are open as may be. */
  boolean isFull() {
    return open.get() >= MAX;
  }

  /**
   * The first event alone.
   *
   * @throws NotLeadingException where another process leads
   */
  Multi<EventView> once(Visibility visibility) {
    return Multi.createFrom().item(new Changes(visibility).next());
  }

  /**
   * Events every two seconds for four minutes.
   *
   * @throws NotLeadingException where another process leads
   */
  Multi<EventView> open(Visibility visibility) {
    Changes changes = new Changes(visibility);
    EventView first = changes.next();
    return Multi.createFrom().deferred(() -> isTaken() ? streaming(changes, first) : none());
  }

  /** Takes one of the places, if one is free. */
  private boolean isTaken() {
    return open.getAndUpdate(count -> count < MAX ? count + 1 : count) < MAX;
  }

  /** The caller connects again, and is told that as many are open as may be. */
  private static Multi<EventView> none() {
    return Multi.createFrom().empty();
  }

  private Multi<EventView> streaming(Changes changes, EventView first) {
    return Multi.createBy()
        .concatenating()
        .streams(
            Multi.createFrom().item(first),
            Multi.createFrom()
                .ticks()
                .startingAfter(INTERVAL)
                .every(INTERVAL)
                .onOverflow()
                .drop()
                .map(_ -> changes.next()))
        .select()
        .first(LENGTH)
        .onFailure(NotLeadingException.class)
        .recoverWithCompletion()
        .onTermination()
        .invoke(open::decrementAndGet);
  }

  /** What one client has seen. */
  private final class Changes {
    private final Visibility visibility;
    private Map<String, GpuRow> seen = Map.of();

    Changes(Visibility visibility) {
      this.visibility = visibility;
    }

    EventView next() {
      LiveState.Now now = state.now();
      Map<String, GpuRow> rows = new LinkedHashMap<>();
      List<GpuRow> changed = new ArrayList<>();
      for (GpuRow whole : now.cluster().rows()) {
        GpuRow row = whole.redacted(visibility);
        rows.put(row.uuid(), row);
        if (!row.equals(seen.get(row.uuid()))) {
          changed.add(row);
        }
      }
      List<String> removed =
          seen.keySet().stream().filter(uuid -> !rows.containsKey(uuid)).toList();
      seen = rows;
      return new EventView(
          now.at().toString(),
          source(),
          sources.predictor.get(),
          HistoryResource.seen(figures(now), visibility),
          now.isGated() ? causes(now.waiting(), visibility) : null,
          now.pairs().stream().map(pair -> PairView.of(pair, visibility)).toList(),
          now.harm().stream()
              .filter(one -> visibility.name(one.pod()).equals(one.pod()))
              .limit(MAX_HARM)
              .map(one -> HarmView.of(one, visibility))
              .toList(),
          sources.decisions.added(),
          changed,
          removed);
    }
  }

  private static Map<String, Double> figures(LiveState.Now now) {
    Map<String, Double> figures = new HashMap<>();
    for (Map.Entry<Figure, Double> figure : now.cluster().figures().entrySet()) {
      figures.put(figure.getKey().key(), figure.getValue());
    }
    return figures;
  }

  private EventView.SourceView source() {
    ReadingsSource readings = sources.readings;
    return new EventView.SourceView(
        readings.kind(),
        readings.readAt().map(Instant::toString).orElse(null),
        readings.description(),
        sources.limits.summedUtilization().percent(),
        Math.round(sources.limits.memoryHeadroomFraction() * 100_000) / 1_000.0,
        sources.limits.tenants(),
        sources.limits.slowdown().ratio(),
        sources.horizon.toSeconds(),
        sources.devices.prices(),
        sources.devices.currency().orElse(null));
  }

  private static List<EventView.CauseView> causes(List<Waiting> waiting, Visibility visibility) {
    Map<String, Integer> pods = new LinkedHashMap<>();
    for (Waiting one : waiting) {
      if (visibility.shows(one.pod().pod().namespace())) {
        pods.merge(cause(one.decision()), 1, Integer::sum);
      }
    }
    return pods.entrySet().stream()
        .map(entry -> new EventView.CauseView(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static String cause(@Nullable Decision decision) {
    return switch (decision) {
      case Decision.Held held -> LeadingCause.of(held).code();
      case Decision.Denied denied -> LeadingCause.of(denied).code();
      case Decision.Admitted _ -> "Admitted";
      case null -> "undecided";
    };
  }
}
