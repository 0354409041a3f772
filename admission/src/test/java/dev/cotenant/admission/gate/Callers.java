package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import java.util.Map;

/** What callers over REST and schedulers do, whichever replica they ask. */
final class Callers {
  private final World world;
  private final Runnable verify;

  /**
   * @param verify checks that nobody holds too much
   */
  Callers(World world, Runnable verify) {
    this.world = world;
    this.verify = verify;
  }

  void reserve() {
    Policy.GpuAssignment gpuAssignment = world.policy.gpuAssignment();
    int n = world.next();
    Colocatable wanted =
        new Colocatable(
            new PodIdentity("team-" + world.random.nextInt(2), "made-" + n, null),
            new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
            new WorkloadAnnotations(
                world.pick(World.MODELS),
                1,
                RunSettings.DEFAULT,
                null,
                null,
                null,
                null,
                List.of()),
            new NodeConstraints(
                world.pick(
                    gpuAssignment == Policy.GpuAssignment.HAMI
                        ? List.of("n1", "n2", "n3")
                        : List.of("n1", "n2")),
                List.of()));
    world.acknowledged.reserve(anybody(), wanted);
    verify.run();
  }

  /** Callers ask whoever answers, the one who leads no longer as well. */
  private Reservations anybody() {
    Replica known = world.leader;
    Replica requested =
        known == null || world.random.nextInt(4) == 0 ? world.pick(world.replicas) : known;
    return world.desk(requested).reservations;
  }

  void confirm() {
    var unbound = world.acknowledged.unbound(world.now);
    if (unbound.isEmpty()) {
      return;
    }
    Acknowledged.Told told = world.pick(unbound);
    switch (world.random.nextInt(7)) {
      case 0, 1, 2 -> world.acknowledged.confirm(anybody(), told, world.now);
      case 3, 4, 5 -> confirmHeld(told);
      default -> confirmElsewhere(told);
    }
    verify.run();
  }

  /** A pod takes it that is held, and may ask for something else. */
  private void confirmHeld(Acknowledged.Told told) {
    Colocatable reserved = told.requested();
    boolean asReserved = world.random.nextBoolean();
    int wanted = !asReserved && world.random.nextInt(4) == 0 ? 2 : 1;
    int batch = asReserved || world.random.nextBoolean() ? 1 : 1 + world.random.nextInt(64);
    String hungrier = world.random.nextBoolean() ? "densenet121" : world.pick(World.MODELS);
    String model =
        asReserved || world.random.nextBoolean() ? reserved.workload().model() : hungrier;
    StoredPod pod =
        taker(
            told,
            new Colocatable(
                reserved.pod(),
                new GpuRequest(GpuDialect.NVIDIA, "main", wanted, null, null),
                new WorkloadAnnotations(
                    model, batch, RunSettings.DEFAULT, null, null, null, null, List.of()),
                new NodeConstraints(null, List.of())));
    if (world.random.nextBoolean()) {
      pod.gates.add("example.com/other");
    }
    pod.gates.add(WatchedPod.GATE);
    if (wanted == 1 && world.random.nextInt(4) == 0) {
      pod.requirements =
          new NodeRequirements(Map.of("kubernetes.io/hostname", "n1"), List.of(), List.of());
    }
    world.server.create(pod);
    world.acknowledged.confirmAmiss(anybody(), told, pod);
  }

  /** A pod takes it that is, or will be, on another node. */
  private void confirmElsewhere(Acknowledged.Told told) {
    String reserved = told.reservation().granted().grants().getFirst().node();
    StoredPod pod = taker(told, told.requested());
    pod.node = reserved.equals("n1") ? "n2" : "n1";
    world.server.create(pod);
    world.acknowledged.confirmAmiss(anybody(), told, pod);
  }

  private StoredPod taker(Acknowledged.Told told, Colocatable requested) {
    StoredPod pod = new StoredPod("uid-of-" + told.reservation().id(), requested, world.now);
    pod.annotations.put(CotenantAnnotations.ADMISSION_ID, told.reservation().id());
    return pod;
  }

  void release() {
    Replica known = world.leader;
    var unbound = world.acknowledged.unbound(world.now);
    int which = world.random.nextInt(4);
    if (which == 0 && !unbound.isEmpty()) {
      world.acknowledged.release(anybody(), world.pick(unbound));
    } else if (which == 1) {
      world.acknowledged.releaseTaken(anybody(), world.random);
    } else if (known != null) {
      world.acknowledged.verifyKnownTo(world.desk(known).reservations, world.now);
    }
  }
}
