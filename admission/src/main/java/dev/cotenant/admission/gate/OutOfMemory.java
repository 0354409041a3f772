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
 * What follows when a granted pod ran out of memory: it is told and counted, and its model's
 * estimate is corrected. Where its policy says so and a controller will make a new pod in its
 * place, it is deleted, so that the new one is decided on by the corrected estimate: so many times
 * for an owner in a day, each time after a longer pause, and only once it is noted for the next
 * leader how many times that was. Of all others it is said what could be done.
 */
final class OutOfMemory {
  /** Before the second deletion; doubled before every further one. */
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private static final int ATTEMPTS = 5;
  private static final String ADVICE =
      "; give it more with cotenant.dev/gpu-memory or a smaller cotenant.dev/batch-size";

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final LeaderStateWriter stateWriter;
  private final Writes writes;

  /** Pods that are to be deleted, by uid; who ran out first is the first. */
  private final Map<String, Resubmission> condemned = new LinkedHashMap<>();

  /** When a pod is to be deleted, and the how manieth attempt that is. */
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
                : ", predicted were at most " + prediction.peakMemory().upper());
    tell(state, what + next(pod, state));
  }

  /** Elsewhere anybody may have written what was granted: nothing is learned from it. */
  private boolean isGuarded(WatchedPod pod) {
    return ports.optedIn().test(pod.pod().namespace());
  }

  private void tell(WatchedPod pod, String message) {
    ports.cluster().report(pod, StatusReport.warning("OutOfMemory", message));
  }

  /** Plans what happens next, and says it. */
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
    boolean others = isCondemned(owner);
    condemned.put(pod.uid(), new Resubmission(at, 1));
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

  private boolean isCondemned(String owner) {
    return condemned.keySet().stream()
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

  /** Deletes what is due. */
  void resubmit(Instant now, Due due) {
    for (Map.Entry<String, Resubmission> one : new ArrayList<>(condemned.entrySet())) {
      TrackedPod pod = term.find(one.getKey());
      Resubmission sentence = one.getValue();
      if (pod != null && now.isBefore(sentence.at())) {
        due.at(sentence.at());
        continue;
      }
      condemned.remove(one.getKey());
      if (pod != null && sentence.attempt() == 1) {
        first(pod, now, due);
      } else if (pod != null) {
        delete(pod, sentence);
      }
    }
  }

  /** Another pod of the same owner may have been deleted since this one was condemned. */
  private void first(TrackedPod pod, Instant now, Due due) {
    WatchedPod state = pod.latest();
    String owner = String.valueOf(owner(state));
    LeaderState.@Nullable Resubmissions before = stateWriter.resubmitted(owner, now).orElse(null);
    Instant at = before == null ? now : before.lastAt().plus(pause(before.times()));
    if (before != null && before.times() >= settings.resubmissions()) {
      stateWriter.noticed(pod.uid());
      tell(state, "the pod is not deleted" + enough(before.times()));
    } else if (now.isBefore(at)) {
      condemned.put(pod.uid(), new Resubmission(at, 1));
      due.at(at);
    } else if (!state.life().terminating()) {
      Resubmission sentence = new Resubmission(now, 1);
      stateWriter.noticed(pod.uid());
      stateWriter.resubmits(owner, now, () -> delete(pod, sentence));
    }
  }

  private void delete(TrackedPod pod, Resubmission sentence) {
    WatchedPod state = pod.latest();
    if (term.find(pod.uid()) != null && !state.life().terminating()) {
      ports.cluster().delete(state, written -> writes.later(() -> deleted(pod, written, sentence)));
    }
  }

  /** Deleting one uid again does no harm. */
  private void deleted(TrackedPod pod, WriteResult written, Resubmission sentence) {
    switch (written) {
      case WriteResult.Done _, WriteResult.Gone _, WriteResult.Conflict _ -> {}
      case WriteResult.Unknown(String why) -> {
        ports.listener().writeFailed(pod.latest(), why);
        if (sentence.attempt() < ATTEMPTS) {
          Instant at = ports.clock().instant().plus(settings.retryMost());
          condemned.put(pod.uid(), new Resubmission(at, sentence.attempt() + 1));
        }
      }
      case WriteResult.Refused(String why) -> {
        ports.listener().writeFailed(pod.latest(), why);
        tell(pod.latest(), "the pod could not be deleted (" + why + ")" + ADVICE);
      }
    }
  }
}
