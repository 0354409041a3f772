package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.PendingWrite;
import dev.cotenant.admission.gate.state.PendingWrite.Purpose;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.report.StatusReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The decision, counters and Event of a pod that a write has ungated or bound: once, whether the
 * write's answer or the watch's event comes first, and where the answer is lost.
 */
public final class UngateReports {
  private final GatePorts ports;

  public UngateReports(GatePorts ports) {
    this.ports = ports;
  }

  /**
   * The pod was seen ungated or bound: reports its last unreported write if the state shows that
   * write's effect.
   */
  public void seen(TrackedPod pod) {
    @Nullable Purpose purpose = pod.writes().takeUnreported();
    if (purpose != null && shows(pod.latest(), purpose)) {
      report(pod, purpose);
    }
  }

  /** The write succeeded. */
  void done(TrackedPod pod) {
    @Nullable Purpose purpose = pod.writes().takeUnreported();
    if (purpose != null) {
      report(pod, purpose);
    }
  }

  private static boolean shows(WatchedPod pod, Purpose purpose) {
    Map<String, String> annotations = pod.annotations();
    return switch (purpose) {
      case PendingWrite.UngateGranted(PodGrant grant, var _) -> shows(annotations, grant);
      case PendingWrite.BindPod(PodGrant grant, var _, var _) ->
          grant != null && shows(annotations, grant);
      case PendingWrite.UngateUnmanaged _ ->
          GrantAnnotations.UNMANAGED.equals(annotations.get(CotenantAnnotations.DECISION));
      case PendingWrite.Release _, PendingWrite.Fence _, PendingWrite.Report _ -> false;
    };
  }

  private static boolean shows(Map<String, String> annotations, PodGrant grant) {
    return grant.grantedAt().toString().equals(annotations.get(CotenantAnnotations.GRANTED_AT))
        && String.join(",", grant.gpus()).equals(annotations.get(CotenantAnnotations.ASSIGNED_GPU));
  }

  private void report(TrackedPod pod, Purpose purpose) {
    switch (purpose) {
      case PendingWrite.UngateGranted(PodGrant grant, Instant since) -> granted(pod, grant, since);
      case PendingWrite.BindPod(PodGrant grant, Instant since, var _) -> {
        if (grant != null) {
          granted(pod, grant, since);
        }
      }
      case PendingWrite.UngateUnmanaged(String why) -> {
        ports.listener().ungatedUnmanaged(pod.latest(), why);
        ports.cluster().report(pod.latest(), StatusReport.warning("Unmanaged", why));
      }
      case PendingWrite.Release _, PendingWrite.Fence _, PendingWrite.Report _ -> {}
    }
  }

  private void granted(TrackedPod pod, PodGrant grant, Instant fittingSince) {
    Instant now = ports.clock().instant();
    ports.listener().decided(pod.latest(), pod.request(), grant.admitted());
    ports
        .listener()
        .granted(pod.latest(), pod.waiting().waited(now), Duration.between(fittingSince, now));
    ports
        .cluster()
        .report(
            pod.latest(),
            StatusReport.normal(
                "Granted",
                String.join(", ", grant.gpus())
                    + " on "
                    + grant.node()
                    + ": "
                    + grant.admitted().evidence().sentence()));
  }
}
