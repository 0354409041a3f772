package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.SharingLimits;
import java.util.List;
import java.util.Set;

/** One run: a cluster, two replicas, and whatever happens by its seed. */
final class Interleaving {
  private final World world;
  private final PodLives lives;
  private final Callers callers;
  private final SettledChecks checks;
  private final Grants verifier;
  private final ExplorationShares trials;

  /** Pods that were granted capacity. */
  private int grants;

  /** Pods that were bound through the extender with a grant. */
  private int bound;

  /** Pods that were evicted. */
  private int evictions;

  /** Pods that were granted what was reserved for them. */
  private int taken;

  /** Pods that were granted a GPU to be measured alone on. */
  private int profiled;

  /** Pods that were granted a share in a trial. */
  private int tried;

  /** How many servers servers started beside. */
  private long besideServers;

  Interleaving(int seed) {
    world = new World(seed);
    lives = new PodLives(world);
    callers = new Callers(world, this::verify);
    checks = new SettledChecks(world);
    verifier =
        new Grants(
            world.policy.gpuAssignment() == Policy.GpuAssignment.NODE_ONLY
                ? Set.of("GPU-c", "GPU-d")
                : Set.of(),
            SharingLimits.DEFAULT,
            Policies.of(world.policy),
            world.risks);
    trials = new ExplorationShares(world.policy.limits().standard().risk().exploration().share());
    world.server.ungate = this::ungate;
    world.server.evicted = this::verifyEvicted;
    world.server.evicting =
        pod -> {
          if (world.policy.preemption() != Policy.Preemption.EVICT) {
            world.guarded.verifySent(pod);
          }
        };
    world.server.budgets = pod -> pod.identity.toString().endsWith("7");
  }

  /**
   * How much happened.
   *
   * @param grants pods that were granted capacity
   * @param bound pods that were bound through the extender with a grant
   * @param refusals waiting pods of which it was checked that there was no capacity for them
   * @param terms terms that began
   * @param reserved reservations that were acknowledged
   * @param found how often a new leader was asked for one of them
   * @param taken held pods that were ungated to the GPU that was reserved for them
   * @param evictions pods that were evicted for others
   * @param profiled pods that were granted a GPU to be measured alone on
   * @param tried pods that were granted a share in a trial
   * @param trials trials of which it was checked that they were few enough
   * @param moved pods that the guard evicted
   * @param unanswered how often a reservation was given back to whoever could not say whether it
   *     was
   * @param besideServers how many servers of language models such servers started beside
   */
  record Happened(
      int grants,
      int bound,
      int refusals,
      int terms,
      int reserved,
      int found,
      int taken,
      int evictions,
      int profiled,
      int tried,
      int trials,
      int moved,
      int unanswered,
      long besideServers) {
    Happened plus(Happened other) {
      return new Happened(
          grants + other.grants,
          bound + other.bound,
          refusals + other.refusals,
          terms + other.terms,
          reserved + other.reserved,
          found + other.found,
          taken + other.taken,
          evictions + other.evictions,
          profiled + other.profiled,
          tried + other.tried,
          trials + other.trials,
          moved + other.moved,
          unanswered + other.unanswered,
          besideServers + other.besideServers);
    }
  }

  void run() {
    int steps = 120 + world.random.nextInt(200);
    for (int i = 0; i < steps; i++) {
      step();
    }
    settle();
    drain();
  }

  Happened happened() {
    return new Happened(
        grants,
        bound,
        checks.refusals,
        world.terms,
        world.acknowledged.made,
        world.acknowledged.found,
        taken,
        evictions,
        profiled,
        tried,
        trials.checked,
        world.guarded.evictions(),
        world.acknowledged.unanswered,
        besideServers);
  }

  /** Pods of the highest priority are never evicted, nor unmanaged ones. */
  private void verifyEvicted(StoredPod pod) {
    evictions += pod.terminating ? 0 : 1;
    boolean preempts = world.policy.preemption() == Policy.Preemption.EVICT;
    if (!preempts) {
      world.guarded.verifyEvicted(pod);
    }
    if (!preempts || (world.guarded.acts() && Guarded.isMovable(pod))) {
      return; // whoever came last, whatever its priority
    }
    assertThat(pod.priority).as("priority of %s", pod.identity).isLessThan(PodLives.MAX_IMPORTANT);
    assertThat(Grants.isGranted(pod)).as("grant of %s", pod.identity).isTrue();
  }

  private void ungate(StoredPod pod) {
    if (Grants.isGranted(pod)) {
      grants++;
      bound += pod.node == null ? 0 : 1;
      taken += world.acknowledged.hasTaken(pod) ? 1 : 0;
      profiled += Profiled.isProfiled(pod) ? 1 : 0;
      tried += Grants.isTrial(pod) ? 1 : 0;
      Profiled.verify(pod, world.server.pods.values(), world.now);
      besideServers += Servers.verifyStart(pod, world.server.pods.values(), world.now);
      verifyIsEnough(pod);
    }
    verify();
  }

  /** What it got is what it asks for itself, whatever was reserved for it. */
  private static void verifyIsEnough(StoredPod pod) {
    Colocatable requested = (Colocatable) pod.request;
    assertThat(pod.annotation(CotenantAnnotations.ASSIGNED_GPU).split(",", -1))
        .as("GPUs of %s", pod.identity)
        .hasSize(requested.gpu().gpus());
    String only = pod.requirements.labels().get("kubernetes.io/hostname");
    if (only != null) {
      assertThat(pod.annotation(CotenantAnnotations.ASSIGNED_NODE)).isEqualTo(only);
    }
    if (!Grants.isWhole(pod)) {
      assertThat(Double.parseDouble(pod.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)))
          .as("utilization of %s", pod.identity)
          .isGreaterThanOrEqualTo(Grants.predicted(pod).utilization().upper().percent() - 1e-6);
    }
  }

  private void verify() {
    NodeCpu.verify(world.server.pods.values());
    verifier.verify(
        world.server.pods.values(),
        world.acknowledged.live(world.now).stream()
            .map(told -> told.reservation().grant())
            .toList());
  }

  private void step() {
    switch (world.random.nextInt(60)) {
      case 0, 1, 2, 16 -> lives.create();
      case 3 -> lives.schedule();
      case 4 -> lives.start();
      case 5 -> lives.finish();
      case 6 -> lives.delete();
      case 7 -> lives.remove();
      case 8 -> lives.touch();
      case 9 -> world.lead(world.random.nextInt(4) > 0);
      case 20, 21, 27, 28, 29, 30, 31, 32 -> {
        if (world.policy.schedulerName() == null || world.random.nextInt(3) == 0) {
          callers.reserve();
        } else {
          world.hear();
          world.pass();
          world.scheduler.place();
        }
      }
      case 22, 33 -> callers.confirm();
      case 23, 34, 36, 37 -> callers.release();
      case 35, 38, 39, 40, 41, 42, 43, 44 -> world.scheduler.place();
      case 24 -> world.learn();
      case 25 -> world.documents.arrive();
      case 26 -> world.replicas.forEach(replica -> world.desk(replica).tidy());
      case 10 -> world.measure();
      case 11 -> world.now = world.now.plusMillis(world.random.nextInt(15_000));
      case 12, 13, 45, 46, 47 -> world.replicas.forEach(this::fly);
      case 14, 15 -> world.replicas.forEach(world::answer);
      default -> {
        world.hear();
        world.pass();
      }
    }
    world.replicas.forEach(
        replica -> replica.giveUpBefore(world.now.minus(World.SETTINGS.fence())));
    verifyInvariants();
  }

  private void quietly() {
    world.quietly();
    verifyTrials();
  }

  private void verifyTrials() {
    world.replicas.forEach(replica -> trials.verify(replica, replica == world.leader));
  }

  private void verifyInvariants() {
    verifyTrials();
    assertThat(world.replicas)
        .allSatisfy(replica -> assertThat(replica.controller.brokenInvariants()).isEmpty());
  }

  /** Writes of a former leader are slow. */
  private void fly(Replica replica) {
    int most = replica == world.leader ? 6 : 1;
    for (int i = world.random.nextInt(1 + most); i > 0; i--) {
      replica.fly(world.random);
      world.answer(replica);
    }
  }

  /** Everything arrives, in time: whoever waits now has a reason that is true. */
  private void settle() {
    world.calm = true;
    world.learn();
    world.documents.arrive();
    world.server.pods.values().forEach(pod -> pod.gates.remove("example.com/other"));
    List.copyOf(world.server.pods.values()).forEach(world.server::changed);
    world.blind.clear();
    for (int i = 0; i < 60; i++) {
      lives.startWhereAwaited();
      quietly();
    }
    verifyInvariants();
    checks.verify();
  }

  /** Everybody finishes: everybody gets capacity at last, and all capacity is given back. */
  private void drain() {
    for (int i = 0; i < 400 && !world.server.pods.isEmpty(); i++) {
      for (StoredPod pod : List.copyOf(world.server.pods.values())) {
        if (pod.gates.isEmpty() && !FakeScheduler.isPending(pod)) {
          world.server.remove(pod);
        }
      }
      quietly();
    }
    assertThat(
            world.server.pods.values().stream()
                .map(pod -> pod.identity.toString() + " " + checks.waiting(pod)))
        .as("forgotten")
        .isEmpty();
    for (int i = 0; i < 45; i++) {
      quietly(); // what nobody confirmed lapses
    }
    verifyInvariants();
    GateView view = world.leader().controller.view();
    assertThat(view.granted()).isEmpty();
    assertThat(view.queue()).isEmpty();
    assertThat(view.cluster().gpus())
        .allSatisfy(gpu -> assertThat(gpu.tenancy()).isEqualTo(new Tenancy.Shared(List.of())));
  }
}
