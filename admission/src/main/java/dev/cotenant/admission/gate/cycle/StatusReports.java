package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.PendingWrite;
import dev.cotenant.admission.gate.state.Refusal;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.Writes;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Reports why pods wait, in Events and annotations, where that has changed. */
public final class StatusReports {
  /**
   * The GPUs whose reasons one cycle reads, about a tenth of a second; the rest follows in the next
   * cycle.
   */
  private static final int MAX_READ = 10_000;

  private static final Duration REPORT_PAUSE = Duration.ofMillis(100);

  /**
   * The pairs of gated pods and GPUs that are re-checked every {@link GateSettings#reportEvery}.
   */
  private static final double READ_AGAIN = 1e6;

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final Writes writes;
  private Instant nextReports = Instant.MIN;

  public StatusReports(GatePorts ports, GateSettings settings, Term term, Writes writes) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.writes = writes;
  }

  /** Reports the pods that wait, some in each cycle. */
  public void write(List<QueuedPod> queue, Instant now, Due due) {
    int gpus = Math.max(1, term.cluster().gpus().gpus().size());
    int reports = now.isBefore(nextReports) ? 0 : Math.max(1, MAX_READ / gpus);
    Duration again = again((double) gpus * queue.size());
    for (QueuedPod queued : queue) {
      TrackedPod pod = queued.pod();
      if (queued.request() != null) {
        due.at(
            pod.waiting().ends(ports.policies().get().of(queued.state().pod().namespace()), now));
      }
      Refusal refusal = pod.refused();
      if (refusal != null && pod.isGated() && isReportedBefore(pod, now.minus(again))) {
        if (reports > 0) {
          Instant begun = ports.clock().instant();
          report(pod, refusal, now);
          reports--;
          nextReports = reports == 0 ? next(now, begun) : nextReports;
        } else {
          due.at(nextReports);
        }
      }
    }
  }

  /** Reports take a tenth of the time at most, so that they do not delay grants. */
  private Instant next(Instant now, Instant begun) {
    Instant over = ports.clock().instant();
    Duration pause = Duration.between(begun, over).multipliedBy(9);
    return pause.compareTo(REPORT_PAUSE) > 0 ? over.plus(pause) : now.plus(REPORT_PAUSE);
  }

  private static boolean isReportedBefore(TrackedPod pod, Instant when) {
    return !pod.reported().checkedAt().isAfter(when);
  }

  /** The interval of re-checks, in proportion to the pairs of pods and GPUs. */
  private Duration again(double pairs) {
    double times = Math.max(1, pairs / READ_AGAIN);
    return Duration.ofMillis((long) (settings.reportEvery().toMillis() * times));
  }

  /** Reports why a pod waits, where that has changed. */
  private void report(TrackedPod pod, Refusal refusal, Instant now) {
    Decision decision = refusal.decision();
    List<Reason> reasons = refusal.reasons();
    if (reasons.isEmpty()) {
      // The reasons are outdated, and the pod is decided on again: nothing to report.
      pod.report(pod.reported().checked(now));
      return;
    }
    StatusReport report = StatusReport.of(decision, reasons, now);
    boolean changed = !report.isSame(pod.reported());
    pod.report(report);
    if (!changed) {
      return;
    }
    String summary = StatusReport.summary(decision, reasons);
    ports.listener().decided(pod.latest(), pod.request(), decision);
    ports.cluster().report(pod.latest(), StatusReport.event(decision, summary));
    WatchedPod state = pod.current();
    if (state != null && pod.writes().areSettled() && pod.isGated()) {
      write(pod, state, report.annotations(summary));
    }
  }

  /** Writes annotations; a patch without a change yields no new version and is not sent. */
  private void write(TrackedPod pod, WatchedPod state, Map<String, String> annotations) {
    if (!state.annotations().entrySet().containsAll(annotations.entrySet())) {
      writes.send(pod, state, new PendingWrite.Report(), PodPatches.report(state, annotations));
    }
  }
}
