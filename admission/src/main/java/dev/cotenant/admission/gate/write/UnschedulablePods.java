package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.cluster.WatchedPod.Unschedulable;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Handles granted pods that their scheduler refuses: a grant cannot be moved, since the node
 * selector of an ungated pod is immutable. After {@link GateSettings#unschedulableAfter} the node
 * is left out for pods of the same owner for ten minutes. Where the policy resubmits, the namespace
 * is opted in and the pod has a controller, the pod is deleted [{@link Resubmissions}], and its
 * successor is decided on anew. For every other pod an Event and an annotation have the scheduler's
 * message and the remedy.
 */
public final class UnschedulablePods implements Resubmissions.Cause {
  public static final Duration AVOIDED_FOR = Duration.ofMinutes(10);

  private static final String ADVICE =
      "; delete the pod for a new decision, or free capacity on its node";

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final Writes writes;
  private final Resubmissions resubmissions;

  /** Pods that are handled, until they are bound or gone, by uid. */
  private final Set<String> handled = new HashSet<>();

  /** Annotations that are not written yet, by uid. */
  private final Map<String, Unwritten> unwritten = new HashMap<>();

  private record Unwritten(String text, Instant at) {}

  public UnschedulablePods(
      GatePorts ports,
      GateSettings settings,
      Term term,
      Writes writes,
      Resubmissions resubmissions) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.writes = writes;
    this.resubmissions = resubmissions;
  }

  @Override
  public String event() {
    return "Unschedulable";
  }

  @Override
  public String advice() {
    return ADVICE;
  }

  @Override
  public boolean holds(TrackedPod pod) {
    return refused(pod) != null;
  }

  @Override
  public void concluded(TrackedPod pod) {}

  /** The scheduler's refusal of an ungated pod without node; null without one. */
  private static @Nullable Unschedulable refused(TrackedPod pod) {
    WatchedPod state = pod.latest();
    boolean waits =
        state.scheduling().node() == null
            && !pod.isGated()
            && state.isLive()
            && !state.life().terminating();
    return waits ? state.life().unschedulable() : null;
  }

  /** Handles pods that are refused for long. */
  public void check(Instant now, Due due) {
    due.at(term.avoided().lapse(now));
    for (String uid : term.suspects()) {
      TrackedPod pod = term.pods().find(uid);
      @Nullable Unschedulable refusal = pod == null ? null : refused(pod);
      @Nullable PodGrant grant = term.ledger().find(uid).orElse(null);
      if (pod == null || refusal == null || grant == null || grant.isNomination()) {
        term.clear(uid);
        handled.remove(uid);
        unwritten.remove(uid);
      } else {
        check(pod, refusal, grant, due);
      }
    }
    for (Map.Entry<String, Unwritten> entry : List.copyOf(unwritten.entrySet())) {
      write(entry.getKey(), entry.getValue(), now, due);
    }
  }

  private void check(TrackedPod pod, Unschedulable refusal, PodGrant grant, Due due) {
    // The condition may date from the time when the pod was gated: the status was False then too.
    Instant since =
        refusal.since().isAfter(grant.grantedAt()) ? refusal.since() : grant.grantedAt();
    Instant at = since.plus(settings.unschedulableAfter());
    Instant now = ports.clock().instant();
    if (now.isBefore(at)) {
      due.at(at);
    } else if (handled.add(pod.uid())) {
      handle(pod, refusal, grant, Duration.between(since, now));
    }
  }

  private void handle(TrackedPod pod, Unschedulable refusal, PodGrant grant, Duration refusedFor) {
    WatchedPod state = pod.latest();
    @Nullable String owner = state.controller();
    if (owner != null) {
      term.avoided()
          .add(
              owner,
              grant.node(),
              "the scheduler refused a granted pod of this owner there: " + refusal.message(),
              ports.clock().instant().plus(AVOIDED_FOR));
    }
    String what =
        "the scheduler refuses granted node "
            + grant.node()
            + " for "
            + refusedFor.toSeconds()
            + " s: "
            + refusal.message();
    String message = what + next(pod, state);
    ports.cluster().report(state, StatusReport.warning(event(), message));
    unwritten.put(
        pod.uid(), new Unwritten(StatusReport.forAnnotation(message), ports.clock().instant()));
  }

  private String next(TrackedPod pod, WatchedPod state) {
    String namespace = state.pod().namespace();
    boolean wanted =
        ports.optedIn().test(namespace)
            && ports.policies().get().of(namespace).unschedulable()
                == Policy.Unschedulable.RESUBMIT;
    return wanted && Resubmissions.isReplaced(state)
        ? "; " + resubmissions.plan(pod, this)
        : ADVICE;
  }

  private void write(String uid, Unwritten annotation, Instant now, Due due) {
    TrackedPod pod = term.pods().find(uid);
    if (pod == null) {
      unwritten.remove(uid);
    } else if (now.isBefore(annotation.at())) {
      due.at(annotation.at());
    } else {
      unwritten.remove(uid);
      ports
          .cluster()
          .patch(
              pod.latest(),
              PodPatches.report(
                  pod.latest(), Map.of(CotenantAnnotations.UNSCHEDULABLE, annotation.text())),
              written -> writes.later(() -> written(pod, annotation, written)));
    }
  }

  private void written(TrackedPod pod, Unwritten annotation, WriteResult result) {
    switch (result) {
      case WriteResult.Done _, WriteResult.Gone _ -> {}
      case WriteResult.Conflict _, WriteResult.Unknown _ ->
          unwritten.put(
              pod.uid(),
              new Unwritten(
                  annotation.text(), ports.clock().instant().plus(settings.retryFirst())));
      case WriteResult.Refused(String why) -> ports.listener().writeFailed(pod.latest(), why);
    }
  }
}
