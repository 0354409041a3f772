package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.persistence.LeaderStateWriter;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.state.LeaderState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Deletes pods so that their controllers make new ones: a limited number per owner and day, for all
 * causes together, after growing pauses, and only once the count is persisted.
 */
public final class Resubmissions {
  /** The pause before the second deletion; doubled before each further one. */
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private static final int ATTEMPTS = 5;

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final LeaderStateWriter stateWriter;
  private final Writes writes;

  /** Pods to be deleted, by uid, in the order of their plans. */
  private final Map<String, Planned> planned = new LinkedHashMap<>();

  /** The cause of a deletion, its time, and its attempt from 1. */
  private record Planned(Cause cause, Instant at, int attempt) {
    Planned at(Instant later) {
      return new Planned(cause, later, attempt);
    }
  }

  /** Why pods are deleted. */
  public interface Cause {
    /** The reason of its Events. */
    String event();

    /** The remedy for pods that are not deleted, {@code ; raise …}. */
    String advice();

    /** Whether the pod still has to be deleted. */
    boolean holds(TrackedPod pod);

    /** The deletion is counted, or is not needed: later leaders need not handle the pod. */
    void concluded(TrackedPod pod);
  }

  public Resubmissions(
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

  /** Whether a controller would make a new pod in place of this one. */
  public static boolean isReplaced(WatchedPod state) {
    return owner(state) != null && !state.life().terminating() && state.isLive();
  }

  /** The controller of a pod with its namespace; null without one. */
  public static @Nullable String owner(WatchedPod pod) {
    @Nullable String owner = pod.life().owner();
    return owner == null ? null : pod.pod().namespace() + "/" + owner;
  }

  /** Plans the deletion of a pod with a controller, and describes it. */
  public String plan(TrackedPod pod, Cause cause) {
    Instant now = ports.clock().instant();
    String owner = String.valueOf(owner(pod.latest()));
    LeaderState.@Nullable Resubmissions before = stateWriter.resubmitted(owner, now).orElse(null);
    int times = before == null ? 0 : before.times();
    if (times >= settings.resubmissions()) {
      cause.concluded(pod);
      return enough(times, cause);
    }
    Instant at = before == null ? now : later(now, before.lastAt().plus(pause(times)));
    boolean others = isPlanned(owner);
    planned.put(pod.uid(), new Planned(cause, at, 1));
    if (others) {
      return "the pod is deleted so that its owner makes a new one after those of its owner that"
          + " are deleted before it, unless those are "
          + settings.resubmissions()
          + " already";
    }
    return "in "
        + Duration.between(now, at).toSeconds()
        + " s the pod is deleted so that its owner makes a new one ("
        + (times + 1)
        + " of "
        + settings.resubmissions()
        + ")";
  }

  private static String enough(int times, Cause cause) {
    return "pods of its owner were deleted " + times + " times today, the limit" + cause.advice();
  }

  private boolean isPlanned(String owner) {
    return planned.keySet().stream()
        .map(term.pods()::find)
        .anyMatch(pod -> pod != null && owner.equals(owner(pod.latest())));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  private static Duration pause(int times) {
    return PAUSE.multipliedBy(1L << Math.min(times - 1, 10));
  }

  /** Deletes pods that are due. */
  public void run(Instant now, Due due) {
    for (Map.Entry<String, Planned> entry : new ArrayList<>(planned.entrySet())) {
      TrackedPod pod = term.pods().find(entry.getKey());
      Planned deletion = entry.getValue();
      if (pod != null && now.isBefore(deletion.at())) {
        due.at(deletion.at());
        continue;
      }
      planned.remove(entry.getKey());
      if (pod != null && deletion.attempt() == 1) {
        first(pod, deletion.at(now), due);
      } else if (pod != null) {
        delete(pod, deletion);
      }
    }
  }

  /**
   * Checks the limits again, since a different pod of the owner may have been deleted meanwhile.
   */
  private void first(TrackedPod pod, Planned deletion, Due due) {
    WatchedPod state = pod.latest();
    Instant now = deletion.at();
    String owner = String.valueOf(owner(state));
    LeaderState.@Nullable Resubmissions before = stateWriter.resubmitted(owner, now).orElse(null);
    Instant at = before == null ? now : before.lastAt().plus(pause(before.times()));
    if (state.life().terminating() || !deletion.cause().holds(pod)) {
      return;
    }
    if (before != null && before.times() >= settings.resubmissions()) {
      deletion.cause().concluded(pod);
      String why = enough(before.times(), deletion.cause());
      report(pod, deletion.cause(), "the pod is not deleted; " + why);
    } else if (now.isBefore(at)) {
      planned.put(pod.uid(), deletion.at(at));
      due.at(at);
    } else {
      deletion.cause().concluded(pod);
      stateWriter.resubmits(owner, now, () -> delete(pod, deletion));
    }
  }

  private void report(TrackedPod pod, Cause cause, String message) {
    ports.cluster().report(pod.latest(), StatusReport.warning(cause.event(), message));
  }

  private void delete(TrackedPod pod, Planned deletion) {
    WatchedPod state = pod.latest();
    if (term.pods().find(pod.uid()) != null
        && !state.life().terminating()
        && deletion.cause().holds(pod)) {
      ports.cluster().delete(state, written -> writes.later(() -> deleted(pod, written, deletion)));
    }
  }

  /** The result of a deletion; a repeated deletion of one uid is harmless. */
  private void deleted(TrackedPod pod, WriteResult written, Planned deletion) {
    switch (written) {
      case WriteResult.Done _, WriteResult.Gone _, WriteResult.Conflict _ -> {}
      case WriteResult.Unknown(String why) -> {
        ports.listener().writeFailed(pod.latest(), why);
        if (deletion.attempt() < ATTEMPTS) {
          Instant at = ports.clock().instant().plus(settings.retryMost());
          planned.put(pod.uid(), new Planned(deletion.cause(), at, deletion.attempt() + 1));
        }
      }
      case WriteResult.Refused(String why) -> {
        ports.listener().writeFailed(pod.latest(), why);
        report(
            pod,
            deletion.cause(),
            "the pod could not be deleted (" + why + ")" + deletion.cause().advice());
      }
    }
  }
}
