package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.ClusterWriter.PodEvent;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.PlacementRequests;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.placement.serving.QueueEffort;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts running services without a stated request rate at their configuration's measured rate: in
 * the ledger and in the pod's annotations, the utilization and the slowdown tolerated by the
 * latency objective are updated to this rate. Memory stays that of the grant. Again where the rate
 * has changed by a fifth.
 *
 * <p>A pod that is limited to a part of its GPU keeps its grant: its part was chosen without a
 * rate, and is read when its process starts.
 */
public final class MeasuredLoads {
  /** Interval of looks; rates are of whole hours. */
  private static final Duration EVERY = Duration.ofMinutes(1);

  /** Between two rounds of a look with many changes, and until a write is tried again. */
  private static final Duration SOON = Duration.ofSeconds(2);

  private static final int PODS_OF_A_CYCLE = 4;
  private static final double CHANGED = 0.2;
  private static final String WHOLE = "100";

  private final GatePorts ports;
  private final Term term;
  private final Writes writes;
  private final Queue<String> changed = new ArrayDeque<>();
  private final Set<String> inFlight = new HashSet<>();
  private Instant look = Instant.MIN;

  public MeasuredLoads(GatePorts ports, Term term, Writes writes) {
    this.ports = ports;
    this.term = term;
    this.writes = writes;
  }

  /** A service that runs in a share, and states no rate. */
  private record Service(TrackedPod pod, PodGrant grant, Colocatable request, Workload workload) {}

  /** Looks for rates that became known or changed, and counts some of them. */
  public void advance(Instant now, Due due) {
    if (changed.isEmpty() && !now.isBefore(look)) {
      look = now.plus(EVERY);
      term.pods().all().stream().map(TrackedPod::uid).filter(this::isChanged).forEach(changed::add);
    }
    QueueEffort effort = QueueEffort.ofCycle();
    for (int i = 0; i < PODS_OF_A_CYCLE && !changed.isEmpty() && !effort.isSpent(); i++) {
      @Nullable Service service = service(changed.remove());
      if (service != null) {
        count(service, effort);
      }
    }
    due.at(changed.isEmpty() ? look : now.plus(SOON));
  }

  private @Nullable Service service(String uid) {
    @Nullable TrackedPod pod = term.pods().find(uid);
    if (pod == null
        || inFlight.contains(uid)
        || !pod.latest().annotations().containsKey(CotenantAnnotations.RATE_METRIC)
        || !(pod.latest().request() instanceof Colocatable request)) {
      return null;
    }
    @Nullable PodGrant grant = term.ledger().granted(uid);
    @Nullable Workload workload = request.workload().workload().orElse(null);
    return grant != null
            && workload != null
            && grant.extent() == Extent.SHARE
            && grant.state() instanceof PodGrant.Observed
            && workload.settings().mode() == ExecutionMode.INFERENCE
            && workload.settings().load().equals(Load.UNSTATED)
            && isUnlimited(pod.latest())
        ? new Service(pod, grant, request, workload)
        : null;
  }

  private static boolean isUnlimited(WatchedPod pod) {
    return pod.annotations()
        .getOrDefault(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE, WHOLE)
        .equals(WHOLE);
  }

  private boolean isChanged(String uid) {
    @Nullable Service service = service(uid);
    @Nullable Prediction held = service == null ? null : held(service.grant());
    if (service == null || held == null) {
      return false;
    }
    Outcome outcome =
        ports
            .predictor()
            .predictIn(
                service.grant().pod().namespace(),
                service.workload(),
                Set.of(held.device()),
                Coverage.STANDARD);
    double known =
        outcome instanceof Outcome.Predicted(Map<?, Prediction> byDevice)
            ? measured(byDevice.get(held.device()))
            : 0;
    OptionalDouble counted = GrantAnnotations.measuredRate(service.pod().latest().annotations());
    return known > 0
        && (counted.isEmpty()
            || Math.abs(known - counted.getAsDouble()) > CHANGED * counted.getAsDouble());
  }

  private static @Nullable Prediction held(PodGrant grant) {
    return grant.admitted().grants().getFirst().prediction();
  }

  /** 0 where none was. */
  private static double measured(@Nullable Prediction prediction) {
    return prediction != null
            && prediction.settings().load() instanceof Load.RequestRate rate
            && rate.isMeasured()
        ? rate.perSecond()
        : 0;
  }

  private void count(Service service, QueueEffort effort) {
    PodGrant grant = service.grant();
    @Nullable Prediction held = held(grant);
    @Nullable GpuSnapshot gpu = term.cluster().gpus().find(grant.gpus().getFirst()).orElse(null);
    if (gpu == null || held == null) {
      return;
    }
    @Nullable PlacementRequest request =
        new PlacementRequests(ports.predictor(), ports.policies().get())
            .aboutRunning(
                service.request(),
                new ClusterSnapshot(term.cluster().gpus().takenAt(), List.of(gpu)),
                effort)
            .orElse(null);
    if (request == null) {
      changed.add(grant.key()); // goes on in the next cycle
      return;
    }
    if (!(request instanceof PlacementRequest.Share share)) {
      return;
    }
    @Nullable Prediction found = share.predictions().get(gpu.device().id());
    if (found == null || measured(found) == 0) {
      return;
    }
    Prediction counted =
        found
            .withPeakMemory(held.peakMemory())
            .withLifetime(held.stay())
            .withMeasured(held.measured())
            .withPartition(held.partition());
    Map<String, String> annotations = new HashMap<>(GrantAnnotations.of(counted));
    annotations.remove(CotenantAnnotations.PREDICTED_MEMORY);
    @Nullable ObjectivePrediction objective = counted.service();
    Slowdown slowdownLimit = grant.slowdownLimit();
    if (objective != null) {
      Slowdown stands = Slowdown.ofRatio(Math.max(1, objective.mostSlowdown()));
      slowdownLimit = share.limits().on(gpu.device().id()).withSlowdownAtMost(stands).slowdown();
      annotations.put(
          CotenantAnnotations.OBJECTIVE_SLOWDOWN, GrantAnnotations.ratio(stands.ratio()));
    }
    Change change =
        new Change(counted, slowdownLimit, meanwhile(grant, held, counted, slowdownLimit));
    term.ledger().allocate(change.meanwhile());
    write(service.pod(), annotations, change);
  }

  /**
   * A grant that changes.
   *
   * @param meanwhile until it is written down
   */
  private record Change(Prediction counted, Slowdown slowdownLimit, PodGrant meanwhile) {}

  /** What takes capacity counts at once, and what gives some away once it is written down. */
  private static PodGrant meanwhile(
      PodGrant grant, Prediction held, Prediction counted, Slowdown slowdownLimit) {
    Utilization upper = counted.utilization().upper();
    boolean takesLess = upper.compareTo(held.utilization().upper()) < 0;
    boolean standsMore = slowdownLimit.compareTo(grant.slowdownLimit()) > 0;
    return with(grant, takesLess ? held : counted)
        .withSlowdownLimit(standsMore ? grant.slowdownLimit() : slowdownLimit);
  }

  private static PodGrant with(PodGrant grant, Prediction prediction) {
    Grant first = grant.admitted().grants().getFirst();
    return grant.with(
        new Decision.Admitted(
            List.of(new Grant(first.gpuUuid(), first.node(), prediction)),
            grant.admitted().evidence()));
  }

  private void write(TrackedPod pod, Map<String, String> annotations, Change change) {
    WatchedPod state = pod.latest();
    inFlight.add(pod.uid());
    ports
        .cluster()
        .patch(
            state,
            PodPatches.report(state, annotations),
            result -> writes.later(() -> written(pod, change, result)));
  }

  private void written(TrackedPod pod, Change change, WriteResult result) {
    inFlight.remove(pod.uid());
    switch (result) {
      case WriteResult.Done _ -> {
        allocate(pod.uid(), change);
        ports.cluster().report(pod.latest(), report(change.counted()));
      }
      case WriteResult.Gone _ -> {}
      case WriteResult.Conflict _, WriteResult.Unknown _ -> changed.add(pod.uid());
      case WriteResult.Refused(String why) -> ports.listener().writeFailed(pod.latest(), why);
    }
  }

  /** No change if the pod has got a different grant meanwhile. */
  private void allocate(String uid, Change change) {
    @Nullable PodGrant grant = term.ledger().granted(uid);
    if (grant != null && grant.admitted().equals(change.meanwhile().admitted())) {
      term.ledger()
          .allocate(with(grant, change.counted()).withSlowdownLimit(change.slowdownLimit()));
    }
  }

  private static PodEvent report(Prediction counted) {
    @Nullable ObjectivePrediction objective = counted.service();
    String what =
        "serves at most "
            + Serving.text(measured(counted))
            + " requests/s (measured, request-rate is not stated): utilization at most "
            + GrantAnnotations.of(counted).get(CotenantAnnotations.PREDICTED_UTILIZATION)
            + " %"
            + (objective == null ? "" : ", " + objective.sentence());
    return objective != null && objective.isMissed()
        ? StatusReport.warning("RateMeasured", what)
        : StatusReport.normal("RateMeasured", what);
  }
}
