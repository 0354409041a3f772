package dev.cotenant.service.replay;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.simulator.replay.Recording;
import dev.cotenant.simulator.replay.RecordingReplay;
import dev.cotenant.simulator.replay.ReplayReport;
import dev.cotenant.simulator.replay.ReplaySettings;
import dev.cotenant.simulator.replay.source.PrometheusRecording;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;

/**
 * Replays of the history that the configured metrics server has. One runs at a time, in a thread of
 * its own; the newest result stays in memory. Thread safe.
 */
public final class ClusterReplays implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(ClusterReplays.class);
  private static final Duration MIN_TIMEOUT = Duration.ofSeconds(60);

  /** What limits change; savings are against one job a GPU. */
  private static final List<String> CHANGED_POLICIES =
      List.of(ReplaySettings.BASELINE, ReplayReport.PRODUCT);

  /** Others wait for it. */
  private static final Duration MAX_DURATION = Duration.ofHours(1);

  private final Optional<PrometheusSettings> server;
  private final Engine engine;
  private final SharingLimits limits;
  private final Consumer<ReplayState.Finished> ended;
  private final InstantSource clock;
  private volatile ReplayState state = new ReplayState.None();
  private volatile Optional<Thread> worker = Optional.empty();

  /**
   * What is replayed.
   *
   * @param by who asks, as records name callers
   * @param length of the history
   * @param step between two samples
   * @param price of a GPU hour; 0 where none was stated
   * @param change change of the current limits for comparison; the identity without a comparison
   */
  public record Request(
      String by,
      Duration length,
      Duration step,
      double price,
      UnaryOperator<SharingLimits> change) {}

  /**
   * @param server the metrics server; empty where none is configured
   * @param limits of sharing without a policy
   * @param ended takes every replay that ends with a report
   */
  public ClusterReplays(
      Optional<PrometheusSettings> server,
      Engine engine,
      SharingLimits limits,
      Consumer<ReplayState.Finished> ended,
      InstantSource clock) {
    this.ended = ended;
    this.server = server.map(ClusterReplays::patient);
    this.engine = engine;
    this.limits = limits;
    this.clock = clock;
  }

  /** A week of samples takes longer than the newest ones. */
  private static PrometheusSettings patient(PrometheusSettings settings) {
    Duration timeout = settings.limits().requestTimeout();
    return timeout.compareTo(MIN_TIMEOUT) < 0 ? settings.withRequestTimeout(MIN_TIMEOUT) : settings;
  }

  /** The newest replay. */
  public ReplayState newest() {
    return state;
  }

  /**
   * Starts a replay and returns its state.
   *
   * @throws InputException ({@code replay-running}) while one runs, ({@code bad-replay}) where the
   *     request is out of its range
   */
  public synchronized ReplayState start(Request request) {
    Instant now = clock.instant();
    PrometheusRecording.Span span = span(request, now);
    if (state instanceof ReplayState.Running) {
      throw new ConflictException(
          "replay-running", "A replay runs already: GET /v1/what-if shows its progress.");
    }
    if (server.isEmpty()) {
      state =
          new ReplayState.Failed(
              now,
              now,
              request.by,
              "No metrics server is configured: set cotenant.prometheus.url.");
      return state;
    }
    ReplayState running = new ReplayState.Running(now, request.by, "starting");
    state = running;
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("replay")
            .unstarted(() -> run(server.get(), span, request, now));
    worker = Optional.of(thread);
    thread.start();
    return running;
  }

  private static PrometheusRecording.Span span(Request request, Instant now) {
    try {
      return new PrometheusRecording.Span(now, request.length(), request.step());
    } catch (IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT, "bad-replay", e.getMessage() + ".", e);
    }
  }

  private void run(
      PrometheusSettings settings,
      PrometheusRecording.Span span,
      Request request,
      Instant started) {
    ReplayState result =
        new ReplayState.Failed(
            started, started, request.by, "The replay ended with an error: see the log.");
    try {
      Recording recording =
          new PrometheusRecording(settings, span, engine.devices().names())
              .read(step -> continues(started, request.by, step));
      ReplayState.Finished finished = finished(recording, request, started);
      ended.accept(finished);
      result = finished;
    } catch (InputException e) {
      result =
          new ReplayState.Failed(
              started, clock.instant(), request.by, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) { // a defect: the next replay may run
      LOG.error("A replay failed", e);
    } finally {
      state = result;
    }
  }

  /** Between two queries and between two policies. */
  private void continues(Instant started, String by, String step) {
    if (Thread.currentThread().isInterrupted()) {
      throw InputException.invalidArgument("replay-interrupted", "The replay was interrupted.");
    }
    if (started.plus(MAX_DURATION).isBefore(clock.instant())) {
      throw InputException.tooLarge(
          "replay-too-long",
          "The replay took longer than "
              + MAX_DURATION.toMinutes()
              + " min (while "
              + step
              + "): replay fewer hours or lengthen step_seconds.");
    }
    state = new ReplayState.Running(started, by, step);
  }

  private ReplayState.Finished finished(Recording recording, Request request, Instant started) {
    ReplayReport report =
        report(
            recording,
            ReplaySettings.DEFAULT_POLICIES,
            limits,
            step -> continues(started, request.by, step));
    SharingLimits other = request.change().apply(limits);
    ReplayState.Changed changed =
        other.equals(limits)
            ? null
            : new ReplayState.Changed(
                other,
                report(
                    recording,
                    CHANGED_POLICIES,
                    other,
                    step -> continues(started, request.by, step + " under other limits")));
    return new ReplayState.Finished(
        started,
        clock.instant(),
        request.by,
        request.length(),
        report,
        request.price(),
        limits,
        changed);
  }

  private ReplayReport report(
      Recording recording, List<String> policies, SharingLimits under, Consumer<String> progress) {
    return new RecordingReplay(
            recording,
            new ReplaySettings(policies, engine.decider(), under, ReplaySettings.DEFAULT_DRAWS),
            engine.devices())
        .run(progress);
  }

  /** Interrupts the replay that runs. */
  @Override
  public void close() {
    worker.ifPresent(Thread::interrupt);
  }
}
