package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.Occupant;
import dev.cotenant.admission.ledger.Overlay;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.GrantedRisk;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks what there is once everything has arrived against what is written on the pods. */
final class SettledChecks {
  private final World world;

  /** Waiting pods of which it was checked that there was no capacity for them. */
  int refusals;

  SettledChecks(World world) {
    this.world = world;
  }

  /** Everybody who waits has a reason that is true, and capacity is held by those who have it. */
  void verify() {
    GateView view = world.leader().controller.view();
    assertThat(view.isReady()).as("ready").isTrue();
    for (StoredPod pod : world.server.pods.values()) {
      if (pod.gates.contains(WatchedPod.GATE) && !pod.terminating) {
        GateView.Waiting waiting = view.waiting(pod.identity).orElseThrow();
        assertThat(reasons(waiting.decision())).as("reasons of %s", pod.identity).isNotEmpty();
        verifyQueued(waiting, view);
        verifyHeld(waiting);
      }
    }
    Set<PodIdentity> unsure = new HashSet<>();
    world.server.pods.values().stream()
        .filter(world.acknowledged::isUnsure)
        .forEach(pod -> unsure.add(pod.identity));
    assertThat(
            view.granted().entrySet().stream()
                .filter(held -> held.getValue().state() != GrantState.NOMINATED)
                .filter(held -> !isHold(held.getValue()))
                .map(Map.Entry::getKey)
                .filter(pod -> !unsure.contains(pod)))
        .as("who holds capacity")
        .containsExactlyInAnyOrderElementsOf(
            world.server.pods.values().stream()
                .filter(pod -> pod.isLive() && !pod.gates.contains(WatchedPod.GATE))
                .filter(pod -> Grants.isGranted(pod) || world.acknowledged.isTakenBy(pod))
                .map(pod -> pod.identity)
                .filter(pod -> !unsure.contains(pod))
                .toList());
    verifyStrangers(view);
    verifyClosed(view);
    world.acknowledged.verifyKnownTo(world.desk(world.leader()).reservations, world.now);
  }

  /** Whether capacity is held for a gated pod while others leave it. */
  private boolean isHold(GateView.Holding held) {
    StoredPod pod = world.server.pods.get(held.pod().uid());
    return pod != null
        && pod.gates.contains(WatchedPod.GATE)
        && held.state() == GrantState.ALLOCATED;
  }

  /** Whoever is ahead of a pod waits as well, and was passed as often as the policy allows. */
  private void verifyQueued(GateView.Waiting waiting, GateView view) {
    for (Reason reason : reasons(waiting.decision())) {
      if (reason instanceof Reason.QueuedBehind(String ahead, int skips)) {
        assertThat(skips).isGreaterThanOrEqualTo(world.policy.queue().maxSkips());
        assertThat(view.queue().stream().limit(waiting.rank() - 1L))
            .extracting(other -> other.pod().pod().toString())
            .contains(ahead);
      }
    }
  }

  private static List<Reason> reasons(@Nullable Decision decision) {
    return switch (decision) {
      case null -> List.of();
      case Decision.Admitted _ -> List.of();
      case Decision.Held(List<Reason> reasons) -> reasons;
      case Decision.Denied(List<Reason> reasons) -> reasons;
    };
  }

  /** Whoever was granted nothing where it runs counts there. */
  private void verifyStrangers(GateView view) {
    for (StoredPod pod : world.server.pods.values()) {
      if (isStranger(pod)) {
        assertThat(view.cluster().gpus().stream().filter(gpu -> gpu.node().equals(pod.node)))
            .as("GPUs of the node of %s", pod.identity)
            .anySatisfy(
                gpu -> assertThat(gpu.tenancy()).isNotEqualTo(new Tenancy.Shared(List.of())));
      }
    }
  }

  /** GPUs are closed while a pod is measured there, and no longer. */
  private void verifyClosed(GateView view) {
    Set<String> closed = new TreeSet<>();
    for (GpuSnapshot gpu : view.cluster().gpus()) {
      if (gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants)) {
        tenants.stream()
            .filter(tenant -> tenant.profiledUntil() != null)
            .filter(tenant ->
                world.server.pods.values().stream()
                    .anyMatch(
                        pod -> pod.identity.toString().equals(tenant.name()) && pod.node != null))
            .forEach(tenant -> closed.add(tenant.name()));
      }
    }
    assertThat(closed)
        .as("pods that are measured alone")
        .containsExactlyInAnyOrderElementsOf(
            world.server.pods.values().stream()
                .filter(pod -> pod.isLive() && pod.node != null && Grants.isGranted(pod))
                .filter(pod -> Profiled.until(pod, world.now) != null)
                .filter(pod -> isShared(view, pod.annotation(CotenantAnnotations.ASSIGNED_GPU)))
                .map(pod -> pod.identity.toString())
                .toList());
  }

  /** Strangers on its node take it whole. */
  private static boolean isShared(GateView view, String gpu) {
    return view.cluster().find(gpu).orElseThrow().tenancy() instanceof Tenancy.Shared;
  }

  private boolean isStranger(StoredPod pod) {
    return pod.isLive()
        && pod.node != null
        && !Grants.isGranted(pod)
        && !world.acknowledged.isTakenBy(pod);
  }

  /** Where nothing but capacity is missing, there must be none in the cluster as it really is. */
  private void verifyHeld(GateView.Waiting waiting) {
    PlacementRequest request = Objects.requireNonNull(waiting.request());
    boolean kept =
        reasons(waiting.decision()).stream().anyMatch(Reason.QueuedBehind.class::isInstance);
    Set<String> guarded = guarded(waiting);
    boolean byName = world.policy.gpuAssignment() == Policy.GpuAssignment.HAMI;
    if (kept || (!byName && request instanceof PlacementRequest.Whole)) {
      return;
    }
    String only =
        waiting
            .pod()
            .scheduling()
            .requirements()
            .labels()
            .getOrDefault("kubernetes.io/hostname", "");
    Decision alone =
        world.decider.decide(
            truth(waiting.pod().uid()),
            request,
            gpu ->
                (only.isEmpty() || gpu.node().equals(only))
                    && !guarded.contains(gpu.uuid())
                    && hasCores(waiting, gpu.node())
                    && (byName || !gpu.node().equals("n3")));
    refusals++;
    assertThat(alone)
        .as(
            "decision about %s, which waits for %s",
            waiting.pod().pod(), reasons(waiting.decision()))
        .isNotInstanceOf(Decision.Admitted.class);
  }

  /** GPUs that the guard or a server that loads excludes, which the reasons name. */
  private Set<String> guarded(GateView.Waiting waiting) {
    Set<String> gpus = new TreeSet<>();
    for (Reason reason : reasons(waiting.decision())) {
      switch (reason) {
        case Reason.GpuGuarded guarded -> gpus.add(guarded.gpuUuid());
        case Reason.PairAvoided avoided -> gpus.add(avoided.gpuUuid());
        case Reason.EngineStarting starting -> {
          assertThat(
                  Servers.isAwaited(
                      starting.start().holder(), world.server.pods.values(), world.now))
              .as("%s", starting)
              .isTrue();
          gpus.add(starting.gpuUuid());
        }
        default -> {}
      }
    }
    return gpus;
  }

  private boolean hasCores(GateView.Waiting waiting, String node) {
    StoredPod pod = Objects.requireNonNull(world.server.pods.get(waiting.pod().uid()));
    Set<String> holds =
        world.leader().controller.view().granted().values().stream()
            .filter(held -> isHold(held) && held.decision().grants().getFirst().node().equals(node))
            .map(held -> held.pod().uid())
            .collect(Collectors.toSet());
    return NodeCpu.fits(pod, node, world.server.pods.values(), holds);
  }

  /** The cluster by what is written on its pods, with the holds of other pods. */
  private ClusterSnapshot truth(String but) {
    Overlay overlay = new Overlay();
    world.leader().controller.view().granted().values().stream()
        .filter(held -> isHold(held) && !held.pod().uid().equals(but))
        .map(held ->
            PodGrant.of(held.pod().uid(), held.pod().pod(), held.decision(), world.now).occupant())
        .forEach(overlay::put);
    for (StoredPod pod : world.server.pods.values()) {
      if (pod.isLive() && !pod.gates.contains(WatchedPod.GATE) && Grants.isGranted(pod)) {
        overlay.put(occupant(pod));
      } else if (isStranger(pod)) {
        List<String> there =
            world.readings.gpus().stream()
                .filter(gpu -> gpu.node().equals(pod.node))
                .map(GpuSnapshot::uuid)
                .toList();
        overlay.put(new Occupant(pod.uid, there, new Occupant.Alone(pod.identity.toString())));
      }
    }
    world
        .acknowledged
        .live(world.now)
        .forEach(told -> overlay.put(told.reservation().grant().occupant()));
    return overlay.on(world.gpus.measure(world.now, world.server.pods.values(), Set.of()));
  }

  private Occupant occupant(StoredPod pod) {
    List<String> uuids = List.of(pod.annotation(CotenantAnnotations.ASSIGNED_GPU).split(",", -1));
    if (Grants.isWhole(pod)) {
      return new Occupant(pod.uid, uuids, new Occupant.Alone(pod.identity.toString()));
    }
    Prediction bounds =
        FakePredictor.of(
            Double.parseDouble(pod.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)) - 10,
            MemorySize.ofMiB(
                Long.parseLong(
                        pod.annotation(CotenantAnnotations.PREDICTED_MEMORY).replace("Mi", ""))
                    - 1024),
            Grants.A100);
    return new Occupant(
        pod.uid,
        uuids,
        new Occupant.Sharing(
            new Tenant(
                    pod.identity.toString(),
                    bounds.utilization(),
                    bounds.peakMemory(),
                    Grants.slowdownLimit(pod),
                    GrantedRisk.read(
                            pod.annotations.getOrDefault(CotenantAnnotations.GRANTED_RISK, ""))
                        .orElseGet(() -> world.policy.limits().standard().risk()),
                    Objects.requireNonNullElse(pod.startedAt, Instant.MAX),
                    Grants.predicted(pod).run().orElseThrow())
                .profiledUntil(Profiled.until(pod, world.now))));
  }

  /** Why a pod waits. */
  String waiting(StoredPod pod) {
    return world
        .leader()
        .controller
        .view()
        .waiting(pod.identity)
        .map(w -> String.valueOf(reasons(w.decision()).stream().map(Reason::sentence).toList()))
        .orElse("not in the queue");
  }
}
