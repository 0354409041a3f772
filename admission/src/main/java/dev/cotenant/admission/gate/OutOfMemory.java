package dev.cotenant.admission.gate;

import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.Prediction;
import org.jspecify.annotations.Nullable;

/**
 * What follows when a granted pod ran out of memory: it is told and counted, its model's estimate
 * is corrected, and where a controller will make a new pod in its place it is deleted, so that the
 * new one is decided on by the corrected estimate; so many times for an owner and a term.
 */
final class OutOfMemory {
  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;

  OutOfMemory(GatePorts ports, GateSettings settings, Term term) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
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
    if (prediction != null) {
      GrantReader.workload(state.request())
          .ifPresent(workload ->
              ports
                  .corrections()
                  .ranOut(workload, prediction.device(), prediction.peakMemory().upper()));
    }
    boolean again = resubmit(state);
    ports
        .cluster()
        .tell(
            state,
            Telling.warning(
                "OutOfMemory",
                "a container ran out of memory on "
                    + first.gpuUuid()
                    + (prediction == null
                        ? ""
                        : ", predicted were at most " + prediction.peakMemory().upper())
                    + (again ? "; the pod is deleted so that its owner makes a new one" : "")));
  }

  private boolean resubmit(WatchedPod pod) {
    @Nullable String owner = pod.life().owner();
    if (owner == null || pod.life().terminating() || !pod.isLive()) {
      return false;
    }
    String key = pod.pod().namespace() + "/" + owner;
    int before = term.resubmitted.getOrDefault(key, 0);
    if (before >= settings.resubmissions()) {
      return false;
    }
    term.resubmitted.put(key, before + 1);
    ports.cluster().delete(pod, _ -> {});
    return true;
  }
}
