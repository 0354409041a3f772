package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.NodeDecisions;
import dev.cotenant.admission.gate.port.NodeDecisions.NodeDecision;
import dev.cotenant.admission.gate.port.NodeDecisions.Preference;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
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
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where a pod fits beside all bound pods, for the scheduler that places it. */
public final class NodeFits {
  /** A scheduler filters, scores and binds one pod after the other; more would fill the heap. */
  private static final int MAX_CLASSES = 4;

  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;
  private final Map<String, ClusterSnapshot> alone = new HashMap<>();

  /** Decisions by class and node, of the classes that were used last. */
  private final Map<EquivalenceClass, Map<String, Decided>> cache =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<EquivalenceClass, Map<String, Decided>> one) {
          return size() > MAX_CLASSES;
        }
      };

  private record Decided(
      ClusterSnapshot node, @Nullable ClusterSnapshot counted, Decision decision) {}

  /**
   * @param deciding decides beside bound pods alone
   */
  public NodeFits(GatePorts ports, Term term, Deciding deciding) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
  }

  private NodeDecision unknownNode() {
    ClusterSnapshot none = new ClusterSnapshot(term.cluster().gpus().takenAt(), List.of());
    Reason reason = new Reason.NoCandidateGpu(0, "no such node");
    return new NodeDecision(none, new Decision.Denied(List.of(reason)), Preference.FREE);
  }

  /** Drops cached decisions: predictions or policies have changed. */
  public void forget() {
    cache.clear();
    alone.clear();
  }

  @SuppressWarnings("ReferenceEquality") // an unchanged node or cluster is the same object
  private Decided decided(
      String node, Subject subject, @Nullable ClusterSnapshot counted, @Nullable Decided before) {
    ClusterSnapshot now = alone(node);
    return before != null
            && before.node() == now
            && before.counted() == counted
            && !isPending(before.decision())
        ? before
        : new Decided(now, counted, decide(now, subject, counted));
  }

  /** Decides about a pod beside the bound pods of a node alone. */
  Decision decide(String node, TrackedPod pod, Subject subject) {
    return decide(alone(node), subject, counted(subject, others(pod)));
  }

  private Decision decide(
      ClusterSnapshot node, Subject subject, @Nullable ClusterSnapshot counted) {
    return deciding.decide(counted == null ? node : counted.part(node.gpus()), subject, null);
  }

  /** The tenants among whom a trial counts; null where the pod comes in none. */
  private @Nullable ClusterSnapshot counted(Subject subject, ClusterSnapshot others) {
    return deciding.mayTry(subject, others) ? others : null;
  }

  /** All GPUs with all occupants and nominations but the pod's own. */
  private ClusterSnapshot others(TrackedPod pod) {
    ClusterSnapshot cluster = term.cluster().snapshot();
    List<GpuSnapshot> without = new ArrayList<>();
    term.ledger()
        .find(pod.uid())
        .map(PodGrant::gpus)
        .orElse(List.of())
        .forEach(uuid ->
            term.cluster()
                .gpus()
                .find(uuid)
                .ifPresent(gpu -> without.add(term.cluster().without(pod.uid(), gpu))));
    return cluster.with(without);
  }

  /** Whether the next call goes on with its latency objective. */
  private static boolean isPending(Decision decision) {
    return decision instanceof Decision.Held
        && decision.reasons().stream().anyMatch(Reason.ObjectivePending.class::isInstance);
  }

  /** Decides about a pod on each node separately. */
  public NodeDecisions decide(String uid, Collection<String> nodes) {
    deciding.beginCycle();
    TrackedPod pod = term.pods().find(uid);
    if (pod == null) {
      return new NodeDecisions.UnknownPod();
    }
    @Nullable PodGrant granted = term.ledger().granted(uid);
    if (granted != null) {
      return new NodeDecisions.Granted(granted.node());
    }
    if (!ports.isPlacedByScheduler(pod.latest())
        || !(pod.latest().request() instanceof Colocatable request)) {
      return new NodeDecisions.Unmanaged();
    }
    Subject subject = subject(pod, request);
    String nomination = term.ledger().find(uid).map(PodGrant::node).orElse("");
    ClusterSnapshot others = others(pod);
    @Nullable ClusterSnapshot counted = counted(subject, others);
    Set<String> nominated = nominated(uid);
    Map<String, NodeDecision> decisions = new LinkedHashMap<>();
    Map<String, Decided> known = cache.computeIfAbsent(subject.equivalence(), _ -> new HashMap<>());
    for (String node : nodes) {
      if (term.cluster().node(node).isEmpty()) {
        decisions.put(node, unknownNode());
        continue;
      }
      Decided decided = known.compute(node, (_, before) -> decided(node, subject, counted, before));
      Preference preference =
          node.equals(nomination)
              ? Preference.NOMINATED
              : nominated.contains(node) && displaces(others, subject, node)
                  ? Preference.DISPLACES
                  : Preference.FREE;
      decisions.put(node, new NodeDecision(decided.node(), decided.decision(), preference));
    }
    return new NodeDecisions.Each(decisions);
  }

  /** Nodes on which a pod fits after its victims there have left. */
  public Set<String> fitsWithout(String uid, Map<String, Set<String>> victims) {
    deciding.beginCycle();
    TrackedPod pod = term.pods().find(uid);
    if (pod == null
        || term.ledger().granted(uid) != null
        || !ports.isPlacedByScheduler(pod.latest())) {
      return victims.keySet();
    }
    if (!(pod.latest().request() instanceof Colocatable request)) {
      return Set.of();
    }
    Subject subject = subject(pod, request);
    ClusterSnapshot others = others(pod);
    return victims.entrySet().stream()
        .filter(entry -> fitsWithout(others, subject, entry.getKey(), entry.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private boolean fitsWithout(
      ClusterSnapshot others, Subject subject, String node, Set<String> victims) {
    List<Victim> granted = new ArrayList<>();
    for (String uid : victims) {
      @Nullable TrackedPod pod = term.pods().find(uid);
      @Nullable PodGrant grant = term.ledger().granted(uid);
      if (pod != null && grant != null) {
        granted.add(new Victim(pod, grant));
      }
    }
    return isAdmitted(
        others, subject, new GpusAfterEviction(term.cluster()).bound(node, victims, granted));
  }

  Subject subject(TrackedPod pod, Colocatable request) {
    return deciding
        .subject(pod.latest(), request, pod.waiting().waited(ports.clock().instant()))
        .onAnyNode();
  }

  /** Nodes with nominations of other pods. */
  private Set<String> nominated(String uid) {
    return term.ledger().all().stream()
        .filter(grant -> grant.isNomination() && !grant.key().equals(uid))
        .map(PodGrant::node)
        .collect(Collectors.toSet());
  }

  private boolean displaces(ClusterSnapshot others, Subject subject, String node) {
    return !isAdmitted(others, subject, gpus(term.cluster().snapshot(), node));
  }

  /** Whether a pod fits on GPUs in a hypothetical state. */
  boolean isAdmitted(TrackedPod pod, Subject subject, List<GpuSnapshot> gpus) {
    return isAdmitted(others(pod), subject, gpus);
  }

  private boolean isAdmitted(ClusterSnapshot others, Subject subject, List<GpuSnapshot> gpus) {
    return deciding.decide(others.hypotheticalPart(gpus), subject, null)
        instanceof Decision.Admitted;
  }

  /** A node's GPUs with all bound pods; the same object until a GPU changes. */
  private ClusterSnapshot alone(String node) {
    ClusterSnapshot cluster = term.cluster().boundSnapshot();
    List<GpuSnapshot> gpus = gpus(cluster, node);
    @Nullable ClusterSnapshot before = alone.get(node);
    if (before != null && isSame(before.gpus(), gpus)) {
      return before;
    }
    ClusterSnapshot now = cluster.part(gpus);
    alone.put(node, now);
    return now;
  }

  private List<GpuSnapshot> gpus(ClusterSnapshot cluster, String node) {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (GpuSnapshot gpu : term.cluster().gpus(node)) {
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
