package dev.cotenant.service.overload;

import dev.cotenant.admission.supervision.FakeProcess;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxBuilder;
import java.time.Duration;
import java.util.Optional;

/** Bounds for tests, and a Vert.x within them. */
public final class TestLoadShedding {
  /** How many reviews may be in progress. */
  public static final int REVIEWS = 8;

  private TestLoadShedding() {}

  /** Bounds with so much memory for bodies. */
  public static LoadShedding withBodyBytes(long bytes) {
    return new LoadShedding(
        settings(bytes, new OverloadSettings.Connections(500, 500, 500)),
        0,
        new SimpleMeterRegistry(),
        new FakeProcess().supervisor);
  }

  /** 20 connections, 10 of them from one address and 5 before their first request. */
  static OverloadSettings withFewConnections() {
    return settings(1 << 20, new OverloadSettings.Connections(20, 10, 5));
  }

  private static OverloadSettings settings(
      long bodyBytes, OverloadSettings.Connections connections) {
    return new OverloadSettings(
        bodyBytes,
        connections,
        REVIEWS,
        new OverloadSettings.Deadlines(
            Duration.ofMinutes(1),
            Duration.ofMinutes(2),
            Duration.ofMinutes(3),
            Duration.ofMinutes(4),
            Duration.ofMinutes(5)));
  }

  /** Whose servers have these bounds. */
  public static Vertx vertx(LoadShedding loadShedding) {
    return new VertxBuilder()
        .findTransport(new OverloadTransport(() -> Optional.of(loadShedding)))
        .init()
        .vertx();
  }

  /** Open connections of plain listeners. */
  public static int connections(LoadShedding loadShedding) {
    return loadShedding.connections("http");
  }

  /** How often plain listeners shed. */
  public static double shed(LoadShedding loadShedding, ShedCause cause) {
    return loadShedding.shed("http", cause).count();
  }
}
