package dev.cotenant.service.overload;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Bounds of incoming requests, and the counts of shed ones.
 *
 * <p>A review is shed with status 503 and without {@code Retry-After}: client-go repeats a request
 * after 429 or 5xx only where that header says when [rest/with_retry.go], and the API server turns
 * any other failure, a reset connection too, into {@code ErrCallingWebhook}, which {@code
 * failurePolicy: Ignore} answers by admitting the object
 * [admission/plugin/webhook/mutating/dispatcher.go]. Repetitions would multiply an overload.
 */
public final class LoadShedding {
  private static final Duration LOOK_EVERY = Duration.ofMillis(100);

  /** A look has no I/O and takes milliseconds. */
  private static final Duration LOOK_AT_MOST = Duration.ofSeconds(20);

  private final OverloadSettings settings;
  private final int webhookPort;
  private final MeterRegistry meters;
  private final Supervisor supervisor;
  private final OverloadBudget budget;
  private final ReviewSlots reviews;
  private final Map<String, ConnectionLimits> listeners = new ConcurrentHashMap<>();

  /**
   * @param webhookPort on which the kernel may refuse connections for a while: no probe connects to
   *     it
   * @param supervisor runs the loops that enforce the deadlines
   */
  public LoadShedding(
      OverloadSettings settings, int webhookPort, MeterRegistry meters, Supervisor supervisor) {
    this.settings = settings;
    this.webhookPort = webhookPort;
    this.meters = meters;
    this.supervisor = supervisor;
    budget = new OverloadBudget(settings.bodyBytes());
    reviews = new ReviewSlots(settings.reviews());
    Gauge.builder("cotenant.server.body.bytes", budget, OverloadBudget::inFlight)
        .description("Memory of request bodies in flight")
        .strongReference(true)
        .register(meters);
    Gauge.builder("cotenant.server.body.limit.bytes", settings, OverloadSettings::bodyBytes)
        .description("Limit of the memory of request bodies in flight")
        .strongReference(true)
        .register(meters);
  }

  public OverloadSettings settings() {
    return settings;
  }

  public OverloadBudget budget() {
    return budget;
  }

  public ReviewSlots reviews() {
    return reviews;
  }

  boolean isOfWebhooks(int port) {
    return port == webhookPort;
  }

  /**
   * The bounds of the listeners of this name, such as {@code https}.
   *
   * @param ofWebhooks whether their callers send reviews, as the first of them says
   */
  ConnectionLimits listener(String name, boolean ofWebhooks) {
    return listeners.computeIfAbsent(name, _ -> bound(name, ofWebhooks));
  }

  /** Open connections of the listeners of this name, if there are such listeners. */
  int connections(String name) {
    return Optional.ofNullable(listeners.get(name)).map(ConnectionLimits::size).orElse(0);
  }

  /** Starts what looks at the connections of a port: without it no deadline cuts any. */
  Loop watch(String listener, Runnable look) {
    return supervisor.start(
        LoopPlan.restarted("connections-" + listener, LOOK_AT_MOST),
        heart -> {
          heart.rest(LOOK_EVERY);
          look.run();
        });
  }

  private ConnectionLimits bound(String name, boolean ofWebhooks) {
    Map<ShedCause, Counter> sheds = new EnumMap<>(ShedCause.class);
    Stream.of(ShedCause.values()).forEach(cause -> sheds.put(cause, shed(name, cause)));
    ConnectionLimits limits =
        new ConnectionLimits(
            settings,
            ofWebhooks,
            reviews,
            (cause, count) -> Objects.requireNonNull(sheds.get(cause)).increment((double) count));
    Gauge.builder("cotenant.server.connections", limits, ConnectionLimits::size)
        .description("Open connections")
        .tag("listener", name)
        .strongReference(true)
        .register(meters);
    return limits;
  }

  Counter shed(String listener, ShedCause cause) {
    return Counter.builder("cotenant.server.shed")
        .description("Requests and connections that were refused or cut")
        .tag("listener", listener)
        .tag("cause", cause.name().toLowerCase(Locale.ROOT))
        .register(meters);
  }
}
