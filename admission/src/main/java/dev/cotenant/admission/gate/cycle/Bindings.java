package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.cluster.ClusterWriter.Binding;
import dev.cotenant.admission.cluster.ClusterWriter.PodLookupResult;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.ForeignGpus;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.events.PodEvents;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.PendingWrite;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.Writes;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Binds pods to the nodes that their scheduler chose, with grants there. A nomination gives way to
 * a binding.
 */
public final class Bindings {
  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;
  private final NodeFits nodeFits;
  private final PodEvents podEvents;
  private final Writes writes;

  /**
   * @param deciding decides beside bound pods alone
   */
  public Bindings(
      GatePorts ports,
      Term term,
      Deciding deciding,
      NodeFits nodeFits,
      PodEvents podEvents,
      Writes writes) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
    this.nodeFits = nodeFits;
    this.podEvents = podEvents;
    this.writes = writes;
  }

  /**
   * The call to bind a pod.
   *
   * @param pod its name
   * @param uid its uid
   * @param node the chosen node
   * @param outcome receives why not; empty where it is bound
   */
  public record BindCall(
      PodIdentity pod, String uid, String node, Consumer<Optional<String>> outcome) {
    void fail(String why) {
      outcome.accept(Optional.of(why));
    }
  }

  /** Binds a pod to a node with a grant. */
  public void bind(BindCall call) {
    TrackedPod pod = term.pods().find(call.uid());
    if (pod == null) {
      ports
          .cluster()
          .read(call.pod(), call.uid(), seen -> writes.later(() -> bindRead(call, seen)));
    } else {
      bind(pod, call);
    }
  }

  private void bindRead(BindCall call, PodLookupResult result) {
    switch (result) {
      case PodLookupResult.There(WatchedPod now) -> {
        podEvents.seen(now);
        TrackedPod pod = term.pods().find(call.uid());
        if (pod == null) {
          call.fail("the pod has ended");
        } else {
          bind(pod, call);
        }
      }
      case PodLookupResult.Gone _ -> bindPlainly(call);
      case PodLookupResult.Unknown(String why) -> call.fail(why);
    }
  }

  /** Binds a pod without GPUs. */
  private void bindPlainly(BindCall call) {
    Binding binding = new Binding(call.pod(), call.uid(), null, call.node(), Map.of());
    ports.cluster().bind(binding, written -> call.outcome().accept(whyNotBound(written)));
  }

  private static Optional<String> whyNotBound(WriteResult written) {
    return switch (written) {
      case WriteResult.Done _ -> Optional.empty();
      case WriteResult.Conflict _ -> Optional.of("the pod is bound, or has changed");
      case WriteResult.Gone _ -> Optional.of("the pod is gone");
      case WriteResult.Unknown(String why) -> Optional.of("the outcome is unknown: " + why);
      case WriteResult.Refused(String why) -> Optional.of(why);
    };
  }

  private void bind(TrackedPod pod, BindCall call) {
    @Nullable PodGrant granted = term.ledger().granted(call.uid());
    @Nullable WatchedPod state = pod.current();
    if (call.node().equals(pod.latest().scheduling().node())) {
      call.outcome().accept(Optional.empty());
    } else if (granted == null && !isDecided(pod)) {
      bindUndecided(pod, call);
    } else if (state == null || !isFree(pod, state)) {
      call.fail("the pod has changed, or a write for it is in flight");
    } else if (granted == null) {
      bindNewly(pod, state, call);
    } else if (granted.node().equals(call.node())) {
      send(pod, state, null, call);
    } else {
      call.fail("the pod was granted capacity on node " + granted.node());
    }
  }

  /** Whether a binding of the pod needs a grant; others bring their request, such as MIG. */
  private boolean isDecided(TrackedPod pod) {
    return ports.isPlacedByScheduler(pod.latest())
        && (pod.latest().request() instanceof Colocatable
            || pod.latest().request() instanceof PodRequest.Invalid);
  }

  /** Binds a pod without a grant; its GPUs count from now on. */
  private void bindUndecided(TrackedPod pod, BindCall call) {
    int gpus = ForeignGpus.requested(pod.latest().request());
    if (gpus > 0) {
      term.ledger().occupy(pod.latest(), call.node(), gpus);
    }
    Binding binding = new Binding(call.pod(), call.uid(), null, call.node(), Map.of());
    ports
        .cluster()
        .bind(
            binding,
            written -> {
              Optional<String> whyNot = whyNotBound(written);
              whyNot.ifPresent(_ -> writes.later(() -> podEvents.settle(pod)));
              call.outcome().accept(whyNot);
            });
  }

  private static boolean isFree(TrackedPod pod, WatchedPod state) {
    return pod.writes().areSettled()
        && !pod.isGated()
        && state.scheduling().node() == null
        && !state.life().terminating();
  }

  private void bindNewly(TrackedPod pod, WatchedPod state, BindCall call) {
    if (!(state.request() instanceof Colocatable request)) {
      call.fail("the request of the pod is not valid");
      return;
    }
    deciding.beginCycle();
    Subject subject = nodeFits.subject(pod, request);
    Decision decision = nodeFits.decide(call.node(), pod, subject);
    if (!(decision instanceof Decision.Admitted admitted)) {
      call.fail(decision.reasons().getFirst().code() + ": no capacity is left on " + call.node());
      return;
    }
    if (takesFromAPreemptor(pod, subject, call.node())) {
      call.fail("pods of lower priority were preempted there for another pod");
      return;
    }
    PodGrant grant =
        term.ledger()
            .distinct(PodGrant.of(pod.uid(), state.pod(), admitted, ports.clock().instant()));
    // Nominations of pods that are not ungated yet stay, or others would be ungated in their place.
    Set<String> displaced =
        nodeFits.isAdmitted(pod, subject, term.cluster().without(Set.of(pod.uid()), call.node()))
            ? Set.of()
            : term.pods().releasedUids();
    pod.admit(grant.admitted());
    term.ledger().allocate(grant);
    term.ledger().displace(call.node(), displaced);
    send(pod, state, grant, call);
  }

  /** Whether the pod fits only in place of a pod of higher priority that preempted for it. */
  private boolean takesFromAPreemptor(TrackedPod pod, Subject subject, String node) {
    Set<String> yielding = new HashSet<>(Set.of(pod.uid()));
    boolean anyPreemptor = false;
    for (TrackedPod other : term.pods().released()) {
      boolean preemptor =
          other.nominations().hasPreempted()
              && other.latest().scheduling().priority() > pod.latest().scheduling().priority();
      anyPreemptor |= preemptor;
      if (!preemptor) {
        yielding.add(other.uid());
      }
    }
    return anyPreemptor && !nodeFits.isAdmitted(pod, subject, nominatedBeside(yielding, node));
  }

  /** A node's GPUs without the nominations of these pods. */
  private List<GpuSnapshot> nominatedBeside(Set<String> uids, String node) {
    Set<String> nominated =
        uids.stream().filter(uid -> term.ledger().granted(uid) == null).collect(Collectors.toSet());
    return term.cluster().without(nominated, node);
  }

  private void send(TrackedPod pod, WatchedPod state, @Nullable PodGrant grant, BindCall call) {
    Map<String, String> annotations =
        grant == null || !(state.request() instanceof Colocatable request)
            ? Map.of()
            : PodPatches.binding(
                state, grant, GpuAssignment.of(deciding.policy(request).gpuAssignment()));
    writes.bind(
        pod,
        state,
        new PendingWrite.BindPod(grant, ports.clock().instant(), call.outcome()),
        new Binding(state.pod(), pod.uid(), state.resourceVersion(), call.node(), annotations));
  }
}
