package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter.Binding;
import dev.cotenant.admission.cluster.ClusterWriter.PodLookupResult;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.ForeignGpus;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.Deciding.Subject;
import dev.cotenant.admission.gate.NodeDecisions.NodeDecision;
import dev.cotenant.admission.gate.NodeDecisions.Preference;
import dev.cotenant.admission.gate.TrackedPod.InFlight;
import dev.cotenant.admission.inventory.Occupancy;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.targeting.Targeting;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a scheduler through the extender: where a pod fits beside all bound pods, and its
 * binding to the node that the scheduler chose. A nomination gives way to a binding.
 */
final class SchedulerCalls {
  /** A scheduler filters, scores and binds one pod after the other; more would fill the heap. */
  private static final int MOST_CLASSES = 4;

  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;
  private final PodEvents podEvents;
  private final Writes writes;
  private final Map<String, ClusterSnapshot> alone = new HashMap<>();

  /** Decisions by class and node, of the classes that were used last. */
  private final Map<EquivalenceClass, Map<String, Decided>> cache =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<EquivalenceClass, Map<String, Decided>> one) {
          return size() > MOST_CLASSES;
        }
      };

  private record Decided(ClusterSnapshot node, Decision decision) {}

  /**
   * @param deciding decides beside bound pods alone
   */
  SchedulerCalls(
      GatePorts ports, Term term, Deciding deciding, PodEvents podEvents, Writes writes) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
    this.podEvents = podEvents;
    this.writes = writes;
  }

  private NodeDecision unknownNode() {
    ClusterSnapshot none = new ClusterSnapshot(term.inventory.base().takenAt(), List.of());
    Reason reason = new Reason.NoCandidateGpu(0, "no such node");
    return new NodeDecision(none, new Decision.Denied(List.of(reason)), Preference.FREE);
  }

  /** Drops cached decisions: predictions or policies have changed. */
  void forget() {
    cache.clear();
    alone.clear();
  }

  @SuppressWarnings("ReferenceEquality") // an unchanged node is the same object
  private Decided decided(String node, Subject subject, @Nullable Decided before) {
    ClusterSnapshot now = alone(node);
    return before != null && before.node() == now
        ? before
        : new Decided(now, deciding.decide(now, subject, null));
  }

  /** Decides about a pod on each of these nodes alone. */
  NodeDecisions decide(String uid, Collection<String> nodes) {
    TrackedPod pod = term.find(uid);
    if (pod == null) {
      return new NodeDecisions.UnknownPod();
    }
    @Nullable PodGrant granted = granted(uid);
    if (granted != null) {
      return new NodeDecisions.Granted(granted.node());
    }
    if (!ports.isPlacedByScheduler(pod.latest())
        || !(pod.latest().request() instanceof Colocatable request)) {
      return new NodeDecisions.Unmanaged();
    }
    Subject subject = subject(pod, request);
    String nomination = term.grants.find(uid).map(PodGrant::node).orElse("");
    Set<String> nominated = nominated(uid);
    Map<String, NodeDecision> decisions = new LinkedHashMap<>();
    Map<String, Decided> known = cache.computeIfAbsent(subject.equivalence(), _ -> new HashMap<>());
    for (String node : nodes) {
      if (term.inventory.node(node).isEmpty()) {
        decisions.put(node, unknownNode());
        continue;
      }
      Decided decided = known.compute(node, (_, before) -> decided(node, subject, before));
      Preference preference =
          node.equals(nomination)
              ? Preference.NOMINATED
              : nominated.contains(node) && displaces(subject, node)
                  ? Preference.DISPLACES
                  : Preference.FREE;
      decisions.put(node, new NodeDecision(decided.node(), decided.decision(), preference));
    }
    return new NodeDecisions.Each(decisions);
  }

  /** The nodes, of these, on which a pod fits once the pods of these uids have left them. */
  Set<String> fitsWithout(String uid, Map<String, Set<String>> victims) {
    TrackedPod pod = term.find(uid);
    if (pod == null || granted(uid) != null || !ports.isPlacedByScheduler(pod.latest())) {
      return victims.keySet();
    }
    if (!(pod.latest().request() instanceof Colocatable request)) {
      return Set.of();
    }
    Subject subject = subject(pod, request);
    Occupancy bound = term.occupancy.bound();
    return victims.entrySet().stream()
        .filter(entry -> isAdmitted(subject, bound.without(entry.getValue(), entry.getKey())))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  /**
   * The call to bind a pod.
   *
   * @param pod its name
   * @param uid its uid
   * @param node the chosen node
   * @param outcome receives why not; empty where it is bound
   */
  record BindCall(PodIdentity pod, String uid, String node, Consumer<Optional<String>> outcome) {
    void fail(String why) {
      outcome.accept(Optional.of(why));
    }
  }

  /** Binds a pod to a node, with a grant there. */
  void bind(BindCall call) {
    TrackedPod pod = term.find(call.uid());
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
        TrackedPod pod = term.find(call.uid());
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
      case WriteResult.Conflict _ -> Optional.of("the pod is bound, or has changed meanwhile");
      case WriteResult.Gone _ -> Optional.of("the pod is gone");
      case WriteResult.Unknown(String why) -> Optional.of("the outcome is unknown: " + why);
      case WriteResult.Refused(String why) -> Optional.of(why);
    };
  }

  private void bind(TrackedPod pod, BindCall call) {
    @Nullable PodGrant granted = granted(call.uid());
    @Nullable WatchedPod state = pod.current();
    if (call.node().equals(pod.latest().scheduling().node())) {
      call.outcome().accept(Optional.empty());
    } else if (granted == null && !isDecided(pod)) {
      bindUndecided(pod, call);
    } else if (state == null || !isFree(pod, state)) {
      call.fail("the pod has changed, or a write about it is in flight");
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
      term.occupancy.put(pod.uid(), call.node(), call.pod().toString(), gpus);
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
    return pod.pendingWrite == null
        && pod.inFlight == InFlight.NONE
        && !pod.isGated()
        && state.scheduling().node() == null
        && !state.life().terminating();
  }

  private void bindNewly(TrackedPod pod, WatchedPod state, BindCall call) {
    if (!(state.request() instanceof Colocatable request)) {
      call.fail("the request of the pod is not valid");
      return;
    }
    Subject subject = subject(pod, request);
    Decision decision = deciding.decide(alone(call.node()), subject, null);
    if (!(decision instanceof Decision.Admitted admitted)) {
      call.fail(decision.reasons().getFirst().code() + ": no capacity is left on " + call.node());
      return;
    }
    PodGrant grant =
        term.grants.distinct(
            PodGrant.of(pod.uid(), state.pod(), admitted, ports.clock().instant()));
    // Nominations of pods that are not ungated yet stay, or others would be ungated in their place.
    Set<String> displaced =
        isAdmitted(subject, term.occupancy.without(Set.of(pod.uid()), call.node()))
            ? Set.of()
            : Set.copyOf(term.released.keySet());
    pod.admit(grant.admitted());
    term.grants.put(grant);
    term.grants.displace(call.node(), displaced);
    send(pod, state, grant, call);
  }

  private void send(TrackedPod pod, WatchedPod state, @Nullable PodGrant grant, BindCall call) {
    Map<String, String> annotations =
        grant == null || !(state.request() instanceof Colocatable request)
            ? Map.of()
            : PodPatches.binding(state, grant, Targeting.of(deciding.policy(request).targeting()));
    writes.bind(
        pod,
        state,
        new PendingWrite.BindPod(grant, ports.clock().instant(), call.outcome()),
        new Binding(state.pod(), pod.uid(), state.resourceVersion(), call.node(), annotations));
  }

  /** The grant of a pod that is no nomination; null without one. */
  private @Nullable PodGrant granted(String uid) {
    return term.grants.find(uid).filter(grant -> !grant.isNomination()).orElse(null);
  }

  private Subject subject(TrackedPod pod, Colocatable request) {
    return deciding.subject(pod.latest(), request, pod.waited(ports.clock().instant())).onAnyNode();
  }

  /** Nodes with nominations of other pods. */
  private Set<String> nominated(String uid) {
    return term.grants.all().stream()
        .filter(grant -> grant.isNomination() && !grant.key().equals(uid))
        .map(PodGrant::node)
        .collect(Collectors.toSet());
  }

  private boolean displaces(Subject subject, String node) {
    return !isAdmitted(subject, gpus(term.occupancy.snapshot(), node));
  }

  private boolean isAdmitted(Subject subject, List<GpuSnapshot> gpus) {
    ClusterSnapshot cluster = new ClusterSnapshot(term.inventory.base().takenAt(), gpus);
    return deciding.decide(cluster, subject, null) instanceof Decision.Admitted;
  }

  /** The GPUs of a node with all bound pods; the same object until one of them changes. */
  private ClusterSnapshot alone(String node) {
    ClusterSnapshot cluster = term.occupancy.bound().snapshot();
    List<GpuSnapshot> gpus = gpus(cluster, node);
    @Nullable ClusterSnapshot before = alone.get(node);
    if (before != null && isSame(before.gpus(), gpus)) {
      return before;
    }
    ClusterSnapshot now = new ClusterSnapshot(cluster.takenAt(), gpus);
    alone.put(node, now);
    return now;
  }

  private List<GpuSnapshot> gpus(ClusterSnapshot cluster, String node) {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (GpuSnapshot gpu : term.inventory.gpus(node)) {
      cluster.find(gpu.uuid()).ifPresent(gpus::add);
    }
    return gpus;
  }

  @SuppressWarnings("ReferenceEquality") // an unchanged GPU is the same object
  private static boolean isSame(List<GpuSnapshot> one, List<GpuSnapshot> other) {
    boolean same = one.size() == other.size();
    for (int i = 0; same && i < one.size(); i++) {
      same = one.get(i) == other.get(i);
    }
    return same;
  }
}
