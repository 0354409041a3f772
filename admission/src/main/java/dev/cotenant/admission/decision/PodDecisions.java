package dev.cotenant.admission.decision;

import dev.cotenant.admission.decision.Spans.Layer;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Decides about pods, with the grants of the ledger counted. */
public final class PodDecisions {
  private final DecisionPorts ports;
  private final PlacementRequests requests;
  private final PodPlacement placement;
  private final Policies policies;
  private final Ledger ledger;
  private final StartOrder starts;

  /** Decides by these policies, on what the ledger leaves. */
  public PodDecisions(DecisionPorts ports, Policies policies, Ledger ledger) {
    this.ports = ports;
    this.requests = new PlacementRequests(ports.predictor(), policies);
    this.placement = new PodPlacement(ports.decider());
    this.policies = policies;
    this.ledger = ledger;
    this.starts = new StartOrder(ledger);
  }

  /** Decides without recording. */
  public DecisionRecord preview(Colocatable pod, Intent intent) {
    ClusterSnapshot cluster = ports.cluster().snapshot();
    PlacementRequest request = predicted(pod, cluster);
    Decision decision =
        ports.spans().in(Layer.DECIDE, () -> decide(ledger.overlay(cluster), pod, request));
    return record(pod, request, decision, intent);
  }

  /** Decides about a reviewed pod and allocates the admitted capacity. */
  public DecisionRecord decideOnReview(Colocatable pod, String admissionId) {
    ClusterSnapshot cluster = ports.cluster().snapshot();
    PlacementRequest request = predicted(pod, cluster);
    CapacityRequest capacityRequest = new CapacityRequest(admissionId, pod);
    Decision decision =
        ports
            .spans()
            .in(
                Layer.DECIDE,
                () ->
                    ledger.decideOnReview(
                        capacityRequest, cluster, overlaid -> decide(overlaid, pod, request)));
    return record(pod, request, decision, Intent.REAL);
  }

  private PlacementRequest predicted(Colocatable pod, ClusterSnapshot cluster) {
    return ports.spans().in(Layer.PREDICT, () -> requests.about(pod, onSelectedNode(cluster, pod)));
  }

  /** Whether a prediction of the pod takes microseconds: no graph has yet to be read for it. */
  public boolean isPrepared(Colocatable pod) {
    return pod.workload().workload().map(ports.predictor()::isPrepared).orElse(true);
  }

  /** Why nothing is predicted of the pod's model; null where something is. */
  public PlacementRequest.ExclusiveCause.@Nullable ModelUnknown whyUnknown(Colocatable pod) {
    return requests.whyUnknown(pod);
  }

  /**
   * Predictions of a pod's language model by product of the cluster; empty for other pods. No
   * latency objective is solved.
   */
  public Collection<Prediction> predictions(Colocatable pod) {
    return requests.ofEngine(pod, onSelectedNode(ports.cluster().snapshot(), pod));
  }

  /**
   * Predictions of a pod by possible product, with memory bounds at the products' levels and at
   * least this one.
   */
  public MemoryBounds bounds(Colocatable pod, Coverage least) {
    ClusterSnapshot cluster = onSelectedNode(ports.cluster().snapshot(), pod);
    Set<DeviceId> devices = cluster.devices();
    Map<DeviceId, Prediction> predictions = requests.bounded(pod, devices, least);
    Function<DeviceId, Coverage> levels = requests.levels(pod, least);
    boolean covered = true;
    for (Prediction one : predictions.values()) {
      covered &= holds(one, levels.apply(one.device()));
    }
    SortedSet<MemorySize> cards = cluster.capacities();
    return cards.isEmpty()
        ? new MemoryBounds(predictions.values(), MemorySize.ZERO, MemorySize.ZERO, covered)
        : new MemoryBounds(predictions.values(), cards.last(), cards.first(), covered);
  }

  private static boolean holds(Prediction prediction, Coverage level) {
    Coverage coverage = prediction.peakMemory().coverage();
    return coverage != null && coverage.compareTo(level) >= 0;
  }

  /** A denial for this reason, independent of the cluster. */
  public DecisionRecord denied(Colocatable pod, Reason reason, Intent intent) {
    PlacementRequest request = requests.about(pod, ports.cluster().snapshot());
    return record(pod, request, new Decision.Denied(List.of(reason)), intent);
  }

  /**
   * Why a pod's predicted or declared memory exceeds every GPU of the cluster; empty where it may
   * fit, or the cluster has no GPU.
   */
  public Optional<Reason> whyTooLarge(Colocatable pod) {
    ClusterSnapshot cluster = onSelectedNode(ports.cluster().snapshot(), pod);
    return OversizedPod.reason(pod, requests.about(pod, cluster), cluster);
  }

  private DecisionRecord record(
      Colocatable pod, PlacementRequest request, Decision decision, Intent intent) {
    Policy.Mode mode = policies.of(pod.pod().namespace()).mode();
    return new DecisionRecord(ports.clock().instant(), pod, request, decision, intent, mode);
  }

  private Decision decide(ClusterSnapshot overlaid, Colocatable pod, PlacementRequest request) {
    ClusterSnapshot onNode = onSelectedNode(overlaid, pod);
    if (onNode.gpus().isEmpty()) {
      @Nullable String node = pod.nodes().node();
      return noCandidate(
          overlaid, node == null ? "there are none" : "the pod selects node '" + node + "'");
    }
    Map<String, Reason> starting = starts.blocking(pod, ports.clock().instant());
    List<Reason> reasons =
        onNode.gpus().stream()
            .flatMap(gpu -> Optional.ofNullable(starting.get(gpu.uuid())).stream())
            .toList();
    return reasons.isEmpty()
        ? placement.decide(onNode, pod, request, null)
        : PodPlacement.orElse(
            new Decision.Held(reasons),
            placement.decide(onNode, pod, request, gpu -> !starting.containsKey(gpu.uuid())));
  }

  private static Decision noCandidate(ClusterSnapshot cluster, String why) {
    return new Decision.Denied(List.of(new Reason.NoCandidateGpu(cluster.gpus().size(), why)));
  }

  private static ClusterSnapshot onSelectedNode(ClusterSnapshot cluster, Colocatable pod) {
    @Nullable String node = pod.nodes().node();
    return node == null ? cluster : only(cluster, gpu -> gpu.node().equals(node));
  }

  private static ClusterSnapshot only(ClusterSnapshot cluster, Predicate<GpuSnapshot> wanted) {
    return cluster.part(cluster.gpus().stream().filter(wanted).toList());
  }

  /** The placement request of a pod on this cluster; records nothing. */
  public Prepared prepare(Colocatable pod, ClusterSnapshot cluster) {
    return new Prepared(pod, requests.about(pod, onSelectedNode(cluster, pod)));
  }

  /** A placement request for decisions on any cluster state. */
  public final class Prepared {
    private final Colocatable pod;
    private final PlacementRequest request;

    private Prepared(Colocatable pod, PlacementRequest request) {
      this.pod = pod;
      this.request = request;
    }

    public PlacementRequest request() {
      return request;
    }

    /** Decides on a cluster, or a part of one, with all grants counted. */
    public Decision on(ClusterSnapshot overlaid) {
      return decide(overlaid, pod, request);
    }
  }
}
