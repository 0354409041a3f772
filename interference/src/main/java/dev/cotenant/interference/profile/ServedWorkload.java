package dev.cotenant.interference.profile;

/**
 * A workload to be served, the input of a plan.
 *
 * @param name its name
 * @param profile the name of its profile
 * @param sloMillis the objective of its latency
 * @param requestsPerSecond required request rate
 */
public record ServedWorkload(
    String name, String profile, double sloMillis, double requestsPerSecond) {
  public ServedWorkload {
    Check.positive("sloMillis", sloMillis);
    Check.positive("requestsPerSecond", requestsPerSecond);
  }
}
