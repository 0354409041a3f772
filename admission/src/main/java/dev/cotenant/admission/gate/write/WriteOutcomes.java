package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.PendingWrite;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.report.StatusReport;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the answer to a write changes in the term. */
final class WriteOutcomes {
  /** Unanswered attempts without an Event: most last a few seconds. */
  private static final int SILENT_ATTEMPTS = 2;

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final UngateReports reports;

  WriteOutcomes(GatePorts ports, GateSettings settings, Term term, UngateReports reports) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.reports = reports;
  }

  void apply(TrackedPod pod, PendingWrite pendingWrite, WriteResult result) {
    switch (result) {
      case WriteResult.Done _ -> done(pod, pendingWrite);
      case WriteResult.Conflict _ -> conflict(pod, pendingWrite);
      case WriteResult.Gone _ -> gone(pod, pendingWrite);
      case WriteResult.Unknown(String why) -> unknown(pod, pendingWrite, why);
      case WriteResult.Refused(String why) -> refused(pod, pendingWrite, why);
    }
  }

  private void done(TrackedPod pod, PendingWrite pendingWrite) {
    pod.writes().succeed();
    pod.drop(pendingWrite.before());
    switch (pendingWrite.purpose()) {
      case PendingWrite.UngateGranted(PodGrant grant, var _) -> {
        pod.writes().fenced();
        term.pods().ungate(pod);
        term.ledger().confirm(grant);
        reports.done(pod);
      }
      case PendingWrite.Release _ -> {
        pod.writes().fenced();
        term.pods().release(pod);
      }
      case PendingWrite.BindPod(PodGrant grant, var _, var _) -> {
        pod.writes().fenced();
        if (grant != null) {
          term.ledger().confirm(grant);
        }
        reports.done(pod);
        Writes.answer(pendingWrite, null);
      }
      case PendingWrite.UngateUnmanaged _ -> {
        pod.writes().fenced();
        term.pods().ungate(pod);
        reports.done(pod);
      }
      case PendingWrite.Fence _ -> {
        pod.writes().fenced();
        term.ledger().withdraw(pod.uid());
      }
      case PendingWrite.Report _ -> {}
    }
  }

  private void conflict(TrackedPod pod, PendingWrite pendingWrite) {
    pod.drop(List.of(pendingWrite.state()));
    ports.listener().conflicted(pod.latest());
    switch (pendingWrite.purpose()) {
      case PendingWrite.UngateGranted _ -> pod.writes().mayStillGrant();
      case PendingWrite.BindPod(PodGrant grant, var _, var _) -> {
        // A standing grant needs no proof that the binding was not done.
        if (grant == null) {
          pod.writes().fenced();
        } else {
          pod.writes().mayStillGrant();
        }
        Writes.answer(pendingWrite, "the pod has changed");
      }
      case PendingWrite.Release _ -> term.ledger().withdraw(pod.uid());
      case PendingWrite.UngateUnmanaged _, PendingWrite.Fence _, PendingWrite.Report _ -> {}
    }
  }

  private void gone(TrackedPod pod, PendingWrite pendingWrite) {
    Writes.answer(pendingWrite, "the pod is gone");
    term.end(pod.uid(), ports.clock().instant());
  }

  private void unknown(TrackedPod pod, PendingWrite pendingWrite, String why) {
    ports.listener().writeFailed(pod.latest(), why);
    if (pendingWrite.purpose() instanceof PendingWrite.Report) {
      return;
    }
    Writes.answer(pendingWrite, "the outcome of the binding is unknown: " + why);
    if (pendingWrite.purpose() instanceof PendingWrite.BindPod bind && bind.grant() == null) {
      return; // its scheduler tries again
    }
    if (pendingWrite.attempt() == SILENT_ATTEMPTS + 1) {
      ports
          .cluster()
          .report(pod.latest(), StatusReport.warning("Unanswered", unanswered(pendingWrite, why)));
    }
    Duration wait = settings.backOff(pendingWrite.attempt());
    pod.writes().retry(pendingWrite.retryAt(ports.clock().instant().plus(wait)));
  }

  private static String unanswered(PendingWrite pendingWrite, String why) {
    @Nullable PodGrant grant =
        switch (pendingWrite.purpose()) {
          case PendingWrite.UngateGranted(PodGrant ungated, var _) -> ungated;
          case PendingWrite.BindPod(PodGrant bound, var _, var _) -> bound;
          default -> null;
        };
    String allocated =
        grant == null
            ? ""
            : ", its capacity on " + String.join(", ", grant.gpus()) + " stays allocated";
    return "the outcome of the write is unknown after "
        + pendingWrite.attempt()
        + " attempts ("
        + why
        + "); it is retried"
        + allocated;
  }

  private void refused(TrackedPod pod, PendingWrite pendingWrite, String why) {
    ports.listener().writeFailed(pod.latest(), why);
    pod.writes().pauseUntil(ports.clock().instant().plus(settings.backOff(pod.writes().fail())));
    switch (pendingWrite.purpose()) {
      case PendingWrite.UngateGranted _ -> {
        reportRefusal(pod, why);
        releaseUnlessRepeated(pod, pendingWrite);
      }
      case PendingWrite.BindPod(PodGrant grant, var _, var _) -> {
        reportRefusal(pod, why);
        Writes.answer(pendingWrite, why);
        if (grant != null) {
          releaseUnlessRepeated(pod, pendingWrite);
        }
      }
      case PendingWrite.Release _ -> {
        reportRefusal(pod, why);
        term.ledger().withdraw(pod.uid());
      }
      case PendingWrite.UngateUnmanaged _ -> reportRefusal(pod, why);
      case PendingWrite.Fence _, PendingWrite.Report _ -> {}
    }
  }

  private void releaseUnlessRepeated(TrackedPod pod, PendingWrite refused) {
    if (refused.attempt() == 1) {
      term.ledger().withdraw(pod.uid());
    } else {
      pod.writes().mayStillGrant(); // an earlier copy may have been done
    }
  }

  private void reportRefusal(TrackedPod pod, String why) {
    if (pod.writes().refuse(why)) {
      ports.cluster().report(pod.latest(), StatusReport.warning("GrantRefused", why));
    }
  }
}
