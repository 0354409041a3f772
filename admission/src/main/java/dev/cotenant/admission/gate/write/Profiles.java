package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.PlacementRequests;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.ledger.PodGrant;
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
import dev.cotenant.domain.prediction.Prediction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ends the time in which pods are measured alone. Their GPUs are open to others from then on,
 * measured or not. Once runs of the configuration are known, the capacity of the pod is the
 * measured one; where none comes within {@link #PATIENCE}, that of its grant remains. Either is
 * written onto the pod, so that no later leader begins again.
 *
 * <p>The end follows from the annotations of the grant and the start of the pod alone.
 */
public final class Profiles {
  /** Time after the end in which measurements may still arrive. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Interval of looks for them. */
  private static final Duration EVERY = Duration.ofSeconds(2);

  private final GatePorts ports;
  private final Term term;
  private final Writes writes;

  /** Pods whose profile time ended without a conclusion, by uid. */
  private final Map<String, Ended> ended = new HashMap<>();

  /** The next look or write; null while an answer is outstanding. */
  private record Ended(Instant at, Duration spent, @Nullable Instant next) {
    Ended next(@Nullable Instant when) {
      return new Ended(at, spent, when);
    }
  }

  public Profiles(GatePorts ports, Term term, Writes writes) {
    this.ports = ports;
    this.term = term;
    this.writes = writes;
  }

  /** Ends elapsed profile times: opens the GPUs and concludes the measurements. */
  public void advance(Instant now, Due due) {
    for (PodGrant grant : term.ledger().profiled()) {
      Instant until = grant.profiledUntil();
      boolean runs =
          grant.state() instanceof PodGrant.Bound || grant.state() instanceof PodGrant.Observed;
      if (runs && until != null) {
        if (!now.isBefore(until) || !isAlone(grant)) {
          end(grant, until, now);
        } else {
          due.at(until);
        }
      }
    }
    for (Map.Entry<String, Ended> entry : List.copyOf(ended.entrySet())) {
      Instant next = entry.getValue().next();
      if (next != null && !now.isBefore(next)) {
        conclude(entry.getKey(), entry.getValue(), now);
      }
      Ended after = ended.get(entry.getKey());
      due.at(after == null ? null : after.next());
    }
  }

  /** End of the time for which a GPU is or was closed for a pod; null without profiling. */
  public @Nullable Instant aloneUntil(PodGrant grant) {
    Ended end = ended.get(grant.key());
    return end == null ? grant.profiledUntil() : end.at();
  }

  /**
   * Holds of preemptors and reservations do not count, since no process runs in them; a reservation
   * may be the one that the pod took under an earlier leader.
   */
  private boolean isAlone(PodGrant grant) {
    return grant.gpus().stream()
        .flatMap(gpu -> term.ledger().on(gpu).stream())
        .allMatch(other ->
            other.isNomination() || other.key().equals(grant.key()) || other.expiresAt() != null);
  }

  private void end(PodGrant grant, Instant until, Instant now) {
    term.ledger().allocate(grant.profiledFor(Duration.ZERO));
    Instant start = until.minus(grant.profileTime());
    Duration spent = Duration.between(start, until.isBefore(now) ? until : now);
    ended.put(
        grant.key(),
        new Ended(
            until.isBefore(now) ? until : now, spent.isNegative() ? Duration.ZERO : spent, now));
  }

  private void conclude(String uid, Ended end, Instant now) {
    @Nullable TrackedPod pod = term.pods().find(uid);
    @Nullable PodGrant grant = term.ledger().granted(uid);
    if (pod == null
        || grant == null
        || pod.latest().annotations().containsKey(CotenantAnnotations.PROFILED)) {
      ended.remove(uid);
      return;
    }
    @Nullable Prediction measured = measured(pod.latest(), grant);
    if (measured != null) {
      write(pod, end, measure(grant, measured));
    } else if (now.isBefore(end.at().plus(PATIENCE))) {
      ended.put(uid, end.next(now.plus(EVERY)));
    } else {
      write(pod, end, Map.of(CotenantAnnotations.PROFILED, "unmeasured"));
    }
  }

  /** The prediction from measured runs of the configuration; null without any. */
  private @Nullable Prediction measured(WatchedPod pod, PodGrant grant) {
    @Nullable GpuSnapshot gpu = term.cluster().gpus().find(grant.gpus().getFirst()).orElse(null);
    if (gpu == null || !(pod.request() instanceof Colocatable colocatable)) {
      return null;
    }
    PlacementRequest request =
        new PlacementRequests(ports.predictor(), ports.policies().get())
            .about(colocatable, new ClusterSnapshot(term.cluster().gpus().takenAt(), List.of(gpu)));
    @Nullable Prediction found =
        request instanceof PlacementRequest.Share share
            ? share.predictions().get(gpu.device().id())
            : null;
    return found != null && found.isUtilizationMeasured() ? found : null;
  }

  /** The measured capacity is the pod's from now on. */
  private Map<String, String> measure(PodGrant grant, Prediction measured) {
    List<Grant> grants = new ArrayList<>();
    for (Grant one : grant.admitted().grants()) {
      grants.add(new Grant(one.gpuUuid(), one.node(), measured));
    }
    term.ledger().allocate(grant.with(new Decision.Admitted(grants, grant.admitted().evidence())));
    Map<String, String> annotations = new HashMap<>(GrantAnnotations.of(measured));
    annotations.put(CotenantAnnotations.PROFILED, GrantReader.MEASURED);
    return annotations;
  }

  private void write(TrackedPod pod, Ended end, Map<String, String> annotations) {
    WatchedPod state = pod.latest();
    ended.put(pod.uid(), end.next(null));
    ports
        .cluster()
        .patch(
            state,
            PodPatches.report(state, annotations),
            result -> writes.later(() -> written(pod, end, annotations, result)));
  }

  private void written(
      TrackedPod pod, Ended end, Map<String, String> annotations, WriteResult result) {
    ended.remove(pod.uid());
    switch (result) {
      case WriteResult.Done _ -> report(pod.latest(), end, annotations);
      case WriteResult.Gone _ -> {}
      case WriteResult.Conflict _, WriteResult.Unknown _ ->
          ended.put(pod.uid(), end.next(ports.clock().instant().plus(EVERY)));
      case WriteResult.Refused(String why) -> ports.listener().writeFailed(pod.latest(), why);
    }
  }

  private void report(WatchedPod pod, Ended end, Map<String, String> annotations) {
    boolean measured = GrantReader.MEASURED.equals(annotations.get(CotenantAnnotations.PROFILED));
    String alone = "was alone for " + end.spent().toSeconds() + " s";
    ports
        .cluster()
        .report(
            pod,
            measured
                ? StatusReport.normal(
                    "Profiled",
                    alone
                        + ": measured utilization at most "
                        + annotations.get(CotenantAnnotations.PREDICTED_UTILIZATION)
                        + " %, memory at most "
                        + annotations.get(CotenantAnnotations.PREDICTED_MEMORY)
                        + "; others may share its GPU")
                : StatusReport.warning(
                    "NotProfiled",
                    alone
                        + ", and no measurement came: its prediction counts, and others may share"
                        + " its GPU"));
    ports.listener().profiled(pod, end.spent(), measured);
  }
}
