package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.Prediction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Handles out-of-memory failures of granted pods: reports and counts them, and corrects the
 * estimate of the model. Where the policy resubmits and the pod has a controller, the pod is
 * deleted, so that its successor is decided on by the corrected estimate: a limited number per
 * owner and day, after growing pauses, and only once the count is persisted. The Event of every
 * other pod has the remedies.
 */
final class OutOfMemory {
  /** The pause before the second deletion; doubled before each further one. */
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private static final int ATTEMPTS = 5;
  private static final String ADVICE =
      "; raise cotenant.dev/gpu-memory or lower cotenant.dev/batch-size";

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final LeaderStateWriter stateWriter;
  private final Writes writes;

  /** Pods to be deleted, by uid, in the order of their failures. */
  private final Map<String, Resubmission> planned = new LinkedHashMap<>();

  /** The time of a deletion, and its attempt from 1. */
  private record Resubmission(Instant at, int attempt) {}

  OutOfMemory(
      GatePorts ports,
      GateSettings settings,
      Term term,
      LeaderStateWriter stateWriter,
      Writes writes) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.stateWriter = stateWriter;
    this.writes = writes;
  }

  void noticed(TrackedPod pod, PodGrant grant) {
    if (pod.reportedOutOfMemory) {
      return;
    }
    pod.reportedOutOfMemory = true;
    WatchedPod state = pod.latest();
    Grant first = grant.admitted().grants().getFirst();
    @Nullable Prediction prediction = first.prediction();
    ports.listener().ranOutOfMemory(state);
    if (prediction != null && isGuarded(state)) {
      GrantReader.workload(state.request())
          .ifPresent(workload ->
              stateWriter.ranOut(workload, prediction.device(), prediction.peakMemory().upper()));
    }
    String what =
        "a container ran out of memory on "
            + first.gpuUuid()
            + (prediction == null
                ? ""
                : ", the predicted upper bound was " + prediction.peakMemory().upper());
    report(state, what + next(pod, state));
  }

  /** Annotations of other namespaces may be forged: nothing is learned from them. */
  private boolean isGuarded(WatchedPod pod) {
    return ports.optedIn().test(pod.pod().namespace());
  }

  private void report(WatchedPod pod, String message) {
    ports.cluster().report(pod, StatusReport.warning("OutOfMemory", message));
  }

  /** Plans the next action, and describes it. */
  private String next(TrackedPod pod, WatchedPod state) {
    Instant now = ports.clock().instant();
    @Nullable String owner = owner(state);
    boolean wanted =
        isGuarded(state)
            && ports.policies().get().of(state.pod().namespace()).outOfMemory()
                == Policy.OutOfMemory.RESUBMIT;
    LeaderState.@Nullable Resubmissions before =
        owner == null ? null : stateWriter.resubmitted(owner, now).orElse(null);
    int times = before == null ? 0 : before.times();
    if (!wanted || owner == null || state.life().terminating() || !state.isLive()) {
      stateWriter.noticed(pod.uid());
      return ADVICE;
    }
    if (times >= settings.resubmissions()) {
      stateWriter.noticed(pod.uid());
      return enough(times);
    }
    Instant at = before == null ? now : later(now, before.lastAt().plus(pause(times)));
    boolean others = isPlanned(owner);
    planned.put(pod.uid(), new Resubmission(at, 1));
    if (others) {
      return "; its model's estimate is raised, and the pod is deleted so that its owner makes a"
          + " new one after those of its owner that ran out before it, unless those are "
          + settings.resubmissions()
          + " already";
    }
    return "; its model's estimate is raised, and in "
        + Duration.between(now, at).toSeconds()
        + " s the pod is deleted so that its owner makes a new one ("
        + (times + 1)
        + " of "
        + settings.resubmissions()
        + ")";
  }

  private static String enough(int times) {
    return "; pods of its owner were deleted " + times + " times for that, no more" + ADVICE;
  }

  private boolean isPlanned(String owner) {
    return planned.keySet().stream()
        .map(term::find)
        .anyMatch(pod -> pod != null && owner.equals(owner(pod.latest())));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private static Duration pause(int times) {
    return PAUSE.multipliedBy(1L << Math.min(times - 1, 10));
  }

  private static @Nullable String owner(WatchedPod pod) {
    @Nullable String owner = pod.life().owner();
    return owner == null ? null : pod.pod().namespace() + "/" + owner;
  }

  /** Deletes pods that are due. */
  void resubmit(Instant now, Due due) {
    for (Map.Entry<String, Resubmission> entry : new ArrayList<>(planned.entrySet())) {
      TrackedPod pod = term.find(entry.getKey());
      Resubmission resubmission = entry.getValue();
      if (pod != null && now.isBefore(resubmission.at())) {
        due.at(resubmission.at());
        continue;
      }
      planned.remove(entry.getKey());
      if (pod != null && resubmission.attempt() == 1) {
        first(pod, now, due);
      } else if (pod != null) {
        delete(pod, resubmission);
      }
    }
  }

  /** Re-checks the limits: another pod of the owner may have been deleted meanwhile. */
  private void first(TrackedPod pod, Instant now, Due due) {
    WatchedPod state = pod.latest();
    String owner = String.valueOf(owner(state));
    LeaderState.@Nullable Resubmissions before = stateWriter.resubmitted(owner, now).orElse(null);
    Instant at = before == null ? now : before.lastAt().plus(pause(before.times()));
    if (before != null && before.times() >= settings.resubmissions()) {
      stateWriter.noticed(pod.uid());
      report(state, "the pod is not deleted" + enough(before.times()));
    } else if (now.isBefore(at)) {
      planned.put(pod.uid(), new Resubmission(at, 1));
      due.at(at);
    } else if (!state.life().terminating()) {
      Resubmission resubmission = new Resubmission(now, 1);
      stateWriter.noticed(pod.uid());
      stateWriter.resubmits(owner, now, () -> delete(pod, resubmission));
    }
  }

  private void delete(TrackedPod pod, Resubmission resubmission) {
    WatchedPod state = pod.latest();
    if (term.find(pod.uid()) != null && !state.life().terminating()) {
      ports
          .cluster()
          .delete(state, written -> writes.later(() -> deleted(pod, written, resubmission)));
    }
  }

  /** The result of a deletion; a repeated deletion of one uid is harmless. */
  private void deleted(TrackedPod pod, WriteResult written, Resubmission resubmission) {
    switch (written) {
      case WriteResult.Done _, WriteResult.Gone _, WriteResult.Conflict _ -> {}
      case WriteResult.Unknown(String why) -> {
        ports.listener().writeFailed(pod.latest(), why);
        if (resubmission.attempt() < ATTEMPTS) {
          Instant at = ports.clock().instant().plus(settings.retryMost());
          planned.put(pod.uid(), new Resubmission(at, resubmission.attempt() + 1));
        }
      }
      case WriteResult.Refused(String why) -> {
        ports.listener().writeFailed(pod.latest(), why);
        report(pod.latest(), "the pod could not be deleted (" + why + ")" + ADVICE);
      }
    }
  }
}
