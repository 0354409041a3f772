package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.cluster.WatchedPod.Phase;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import java.util.Map;

/** What users, the scheduler and nodes do with pods. */
final class PodLives {
  static final int MAX_IMPORTANT = 100;

  private final World world;

  PodLives(World world) {
    this.world = world;
  }

  void create() {
    if (world.server.pods.size() > 16) {
      return;
    }
    int n = world.next();
    String model = world.pick(World.MODELS);
    PodIdentity name = new PodIdentity("team-" + world.random.nextInt(2), "pod-" + n, null);
    int wanted = world.random.nextInt(8) == 0 ? 2 : 1;
    WorkloadAnnotations workload =
        new WorkloadAnnotations(
            model,
            1 + world.random.nextInt(64),
            RunSettings.DEFAULT,
            null,
            null,
            world.random.nextBoolean() ? Slowdown.ofRatio(1.10) : null,
            null,
            List.of());
    StoredPod pod =
        new StoredPod(
            "uid-" + n,
            new Colocatable(
                name,
                new GpuRequest(GpuDialect.NVIDIA, "main", wanted, null, null),
                world.servers ? Servers.of(name.namespace(), workload) : workload,
                new NodeConstraints(null, List.of())),
            world.now);
    pod.annotations.put(CotenantAnnotations.ADMISSION_ID, "id-" + n);
    pod.footprint = NodeCpu.footprint(n);
    if (world.guarded.acts() && n % 2 == 0) {
      pod.annotations.put(CotenantAnnotations.ON_SLOWDOWN, "evict");
      pod.owner = "Job/pod-" + n;
    }
    pod.priority = world.random.nextInt(3) * MAX_IMPORTANT / 2;
    if (world.policy.schedulerName() != null && world.random.nextInt(8) > 0) {
      pod.schedulerName = FakeScheduler.NAME;
    }
    if (world.random.nextInt(6) == 0) {
      pod.gates.add("example.com/other");
    }
    pod.gates.add(WatchedPod.GATE);
    if (wanted == 1 && world.random.nextInt(5) == 0) {
      pod.requirements =
          new NodeRequirements(Map.of("kubernetes.io/hostname", "n1"), List.of(), List.of());
    }
    world.server.create(pod);
  }

  void schedule() {
    world.change(PodLives::isSchedulable, PodLives::schedule);
  }

  private static boolean isSchedulable(StoredPod pod) {
    return pod.gates.isEmpty()
        && pod.node == null
        && !pod.terminating
        && !FakeScheduler.isPending(pod);
  }

  private static void schedule(StoredPod pod) {
    pod.node =
        pod.nodeSelector.getOrDefault(
            "kubernetes.io/hostname",
            pod.requirements.labels().getOrDefault("kubernetes.io/hostname", "n3"));
  }

  void start() {
    world.change(this::isStartable, this::start);
    startWhereAwaited();
  }

  /**
   * The guard counts pods that run beside each other, and servers wait for those that load: there
   * all start that can.
   */
  void startWhereAwaited() {
    if (world.guarded.acts() || world.servers) {
      for (StoredPod pod : List.copyOf(world.server.pods.values())) {
        if (isSchedulable(pod)) {
          schedule(pod);
        }
        if (isStartable(pod)) {
          start(pod);
          world.server.changed(pod);
        }
      }
    }
  }

  private boolean isStartable(StoredPod pod) {
    return pod.node != null
        && pod.startedAt == null
        && pod.isLive()
        && !world.acknowledged.isTakenBy(pod);
  }

  private void start(StoredPod pod) {
    pod.startedAt = world.now;
    pod.phase = Phase.RUNNING;
  }

  void finish() {
    world.change(
        pod -> pod.startedAt != null && pod.isLive(),
        pod -> pod.phase = world.random.nextBoolean() ? Phase.SUCCEEDED : Phase.FAILED);
  }

  void delete() {
    StoredPod pod = world.any(p -> !p.terminating);
    if (pod != null && (pod.node == null || !pod.isLive())) {
      world.server.remove(pod);
    } else if (pod != null) {
      pod.terminating = true;
      world.server.changed(pod);
    }
  }

  void remove() {
    StoredPod pod = world.any(p -> p.terminating);
    if (pod != null) {
      world.server.remove(pod);
    }
  }

  /** Somebody else writes something, or removes another gate. */
  void touch() {
    world.change(
        pod -> true,
        pod -> {
          if (!pod.gates.remove("example.com/other")) {
            pod.annotations.put("cotenant.dev/note", "n" + world.random.nextInt());
          }
        });
  }
}
