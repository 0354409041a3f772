package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.GuardRules.Mode;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** In some worlds pods of all models but one suffer beside any neighbour, and the guard acts. */
final class Guarded {
  private static final int BUDGET = 3;
  private static final String CONTENT = "vgg19";

  private final World world;

  /** The age from which a sample proves nothing. */
  private static final Duration FRESH = Duration.ofMinutes(2);

  private static final Duration GAP = Duration.ofMinutes(4);

  private final Set<String> evicted = new TreeSet<>();
  private final Map<String, List<Instant>> times = new TreeMap<>();

  /** The newest sample beyond a limit by GPU. */
  private final Map<String, Instant> suffered = new HashMap<>();

  private Instant silentUntil = Instant.MIN;

  Guarded(World world) {
    this.world = world;
  }

  /** In a third of the worlds it acts, in the others it observes. */
  static GuardRules rules(int seed) {
    return seed / 3 % 3 == 1
        ? new GuardRules(Mode.ACT, Duration.ofMinutes(1), BUDGET)
        : GuardRules.DEFAULT;
  }

  boolean acts() {
    return world.policy.measuring().guard().mode() == Mode.ACT;
  }

  /** Every second pod may be moved; the name says which. */
  static boolean isMovable(StoredPod pod) {
    return "evict".equals(pod.annotations.get(CotenantAnnotations.ON_SLOWDOWN));
  }

  /** New measurements reach whoever believes to lead; at times none come for some minutes. */
  void measure() {
    if (!acts() || world.now.isBefore(silentUntil)) {
      return;
    }
    if (!world.calm && world.random.nextInt(8) == 0) {
      silentUntil = world.now.plus(GAP);
      return;
    }
    List<Sample> samples = new ArrayList<>();
    for (StoredPod pod : world.server.pods.values()) {
      boolean suffers =
          GrantReader.workload(pod.request).map(Workload::model).stream()
              .noneMatch(CONTENT::equals);
      if (suffers && pod.isLive()) {
        samples.add(new Sample(pod.uid, Signal.SLOWDOWN, 1.6, 1.15, 0.05, world.now));
        suffered.put(gpu(pod), world.now);
      }
    }
    world.replicas.forEach(replica -> replica.controller.measured(samples));
  }

  /** Nobody is evicted but beside a pod of which fresh samples say that it suffers. */
  void verifySent(StoredPod pod) {
    assertThat(suffered.getOrDefault(gpu(pod), Instant.MIN))
        .as("newest sample beside %s", pod.identity)
        .isAfterOrEqualTo(world.now.minus(FRESH));
  }

  private static String gpu(StoredPod pod) {
    return pod.annotations.getOrDefault(CotenantAnnotations.ASSIGNED_GPU, "");
  }

  /** Only pods that may be moved, no more than the budget of their namespace within an hour. */
  void verifyEvicted(StoredPod pod) {
    assertThat(acts()).isTrue();
    assertThat(isMovable(pod)).as("%s may be moved", pod.identity).isTrue();
    String namespace = pod.identity.namespace();
    List<Instant> own = times.computeIfAbsent(namespace, _ -> new ArrayList<>());
    if (evicted.add(pod.uid)) {
      own.add(world.now);
    }
    assertThat(own.stream().filter(at -> at.isAfter(world.now.minus(Duration.ofHours(1)))).count())
        .as("evictions within an hour in %s", namespace)
        .isLessThanOrEqualTo(BUDGET);
  }

  int evictions() {
    return evicted.size();
  }
}
