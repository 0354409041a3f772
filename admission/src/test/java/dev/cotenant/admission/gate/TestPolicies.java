package dev.cotenant.admission.gate;

import dev.cotenant.admission.policy.Policy;
import java.time.Duration;

/** Policies that differ from another in something. */
final class TestPolicies {
  private TestPolicies() {}

  static Policy.Queue queue(int maxSkips, Policy.Fallback fallback) {
    return new Policy.Queue(
        Policy.Ordering.PRIORITY,
        Duration.ofMinutes(1),
        maxSkips,
        Duration.ofMinutes(10),
        fallback);
  }

  /** A policy whose pods are placed by a scheduler that calls the extender. */
  static Policy placedBy(String scheduler) {
    return Policy.DEFAULT.with(copy -> copy.schedulerName = scheduler);
  }
}
