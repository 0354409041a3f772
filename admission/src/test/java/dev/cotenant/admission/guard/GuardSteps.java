package dev.cotenant.admission.guard;

import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.GuardRules.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A guard over one or two GPUs and the time of its samples. */
abstract class GuardSteps {
  static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
  static final Duration MINUTE = Duration.ofMinutes(1);
  static final GuardRules ACT = new GuardRules(Mode.ACT, Duration.ofMinutes(5), 2);

  final List<Incident> found = new ArrayList<>();
  final List<Incident> planned = new ArrayList<>();
  Map<String, List<GuardedPod>> tenants = Map.of("GPU-a", List.of(pod("old", 0), pod("new", 1)));
  GuardState guard = GuardState.of(GuardNotes.NONE);
  Instant now = START;

  static GuardedPod pod(String name, int grantedAt) {
    return pod(name, "team-a", grantedAt, true, ACT);
  }

  static GuardedPod pod(
      String name, String namespace, int grantedAt, boolean movable, GuardRules rules) {
    Instant at = START.minus(Duration.ofHours(1)).plusSeconds(grantedAt);
    return new GuardedPod(
        name, namespace, namespace + "/" + name + " 1", at, at.plusSeconds(30), movable, rules);
  }

  /** A slowdown of a pod now, with a limit of 1.15 and a noise of 5 %. */
  void slowed(String name, double value) {
    count(new Sample(name, Signal.SLOWDOWN, value, 1.15, 0.05, now));
  }

  void count(Sample sample) {
    GuardState.Step step = guard.step(List.of(sample), tenants, now);
    guard = step.next();
    found.addAll(step.found());
    planned.addAll(step.planned());
  }

  /** One a minute, the first now. */
  void slowedFor(String name, double value, int minutes) {
    for (int i = 0; i <= minutes; i++) {
      slowed(name, value);
      now = now.plus(MINUTE);
    }
  }
}
