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

  static Policy with(Policy policy, Policy.Queue queue) {
    return new Policy(
        policy.name(),
        policy.mode(),
        policy.limits(),
        queue,
        policy.staleMetrics(),
        policy.unknownModels(),
        policy.targeting(),
        policy.outOfMemory(),
        policy.schedulerName());
  }

  static Policy with(Policy policy, Policy.StaleMetrics stale, Policy.Targeting targeting) {
    return new Policy(
        policy.name(),
        policy.mode(),
        policy.limits(),
        policy.queue(),
        stale,
        policy.unknownModels(),
        targeting,
        policy.outOfMemory(),
        policy.schedulerName());
  }

  /** A policy whose pods are placed by a scheduler that calls the extender. */
  static Policy placedBy(String scheduler) {
    Policy policy = Policy.DEFAULT;
    return new Policy(
        policy.name(),
        Policy.Mode.ENFORCE,
        policy.limits(),
        policy.queue(),
        policy.staleMetrics(),
        policy.unknownModels(),
        Policy.Targeting.NODE_ONLY,
        policy.outOfMemory(),
        scheduler);
  }
}
