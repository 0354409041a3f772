package dev.cotenant.service.intake;

import dev.cotenant.admission.supervision.FakeProcess;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxBuilder;
import java.time.Duration;
import java.util.Optional;

/** Bounds for tests, and a Vert.x within them. */
public final class TestIntake {
  /** How many reviews may be in progress. */
  public static final int REVIEWS = 8;

  private TestIntake() {}

  /** Bounds with so much memory for bodies. */
  public static Intake withBodyBytes(long bytes) {
    return new Intake(
        settings(bytes, new IntakeSettings.Connections(500, 500, 500)),
        0,
        new SimpleMeterRegistry(),
        new FakeProcess().supervisor);
  }

  /** 20 connections, 10 of them from one address and 5 before their first request. */
  static IntakeSettings withFewConnections() {
    return settings(1 << 20, new IntakeSettings.Connections(20, 10, 5));
  }

  private static IntakeSettings settings(long bodyBytes, IntakeSettings.Connections connections) {
    return new IntakeSettings(
        bodyBytes,
        connections,
        REVIEWS,
        new IntakeSettings.Deadlines(
            Duration.ofMinutes(1),
            Duration.ofMinutes(2),
            Duration.ofMinutes(3),
            Duration.ofMinutes(4),
            Duration.ofMinutes(5)));
  }

  /** Whose servers have these bounds. */
  public static Vertx vertx(Intake intake) {
    return new VertxBuilder()
        .findTransport(new IntakeTransport(() -> Optional.of(intake)))
        .init()
        .vertx();
  }

  /** Open connections of plain listeners. */
  public static int connections(Intake intake) {
    return intake.connections("http");
  }

  /** How often plain listeners shed. */
  public static double shed(Intake intake, ShedCause cause) {
    return intake.shed("http", cause).count();
  }
}
