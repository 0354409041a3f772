package dev.cotenant.cli.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The services of examples/plans/shop.json as Triton's metrics have them: requests come in waves,
 * and take the same time always.
 */
final class DemoServices {
  private static final double WAVE = 0.2;
  private static final double WAVE_RADIANS = 2 * Math.PI / Duration.ofMinutes(10).toSeconds();

  private static final List<Served> SERVICES =
      List.of(
          new Served("search", 200, 25),
          new Served("photos", 100, 41),
          new Served("tags", 400, 12));

  private DemoServices() {}

  /**
   * A service.
   *
   * @param ratePerSecond mean of its requests
   * @param p99Millis 99th percentile of their times
   */
  private record Served(String model, double ratePerSecond, double p99Millis) {}

  /** The quantities of the service that a query names, by name; empty where it names none. */
  static Optional<Map<String, Double>> answer(String query, Instant at) {
    double wave = 1 + WAVE * Math.sin(WAVE_RADIANS * at.getEpochSecond());
    return SERVICES.stream()
        .filter(
            served -> query.contains("nv_inference_request_success{model=\"" + served.model + "\""))
        .findFirst()
        .map(served ->
            Map.of("rate", wave * served.ratePerSecond, "p99", served.p99Millis, "age", 0.0));
  }
}
