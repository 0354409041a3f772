package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.persistence.LeaderStateWriter;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import org.jspecify.annotations.Nullable;

/**
 * Handles out-of-memory failures of granted pods: reports and counts them, and corrects the
 * estimate of the model in the namespace. Where the policy resubmits and the pod has a controller,
 * the pod is deleted, so that its successor is decided on by the corrected estimate [{@link
 * Resubmissions}]. The Events of other pods list the remedies.
 */
public final class OutOfMemory implements Resubmissions.Cause {
  private static final String ADVICE =
      "; raise cotenant.dev/gpu-memory or lower cotenant.dev/batch-size";

  /** A quarter more: three steps nearly double. */
  private static final double STEP = 1.25;

  private final GatePorts ports;
  private final LeaderStateWriter stateWriter;
  private final Resubmissions resubmissions;

  public OutOfMemory(GatePorts ports, LeaderStateWriter stateWriter, Resubmissions resubmissions) {
    this.ports = ports;
    this.stateWriter = stateWriter;
    this.resubmissions = resubmissions;
  }

  @Override
  public String event() {
    return "OutOfMemory";
  }

  @Override
  public String advice() {
    return ADVICE;
  }

  @Override
  public boolean holds(TrackedPod pod) {
    return true;
  }

  @Override
  public void concluded(TrackedPod pod) {
    stateWriter.noticed(pod.uid());
  }

  /**
   * Handles the failure of a pod, once.
   *
   * @param capacity memory of its GPU
   */
  public void noticed(TrackedPod pod, PodGrant grant, MemorySize capacity) {
    if (!pod.noticeOutOfMemory()) {
      return;
    }
    WatchedPod state = pod.latest();
    Grant first = grant.admitted().grants().getFirst();
    @Nullable Prediction prediction = first.prediction();
    ports.listener().ranOutOfMemory(state);
    if (prediction != null && isGuarded(state)) {
      GrantReader.workload(state.request())
          .ifPresent(workload ->
              stateWriter.ranOut(
                  new MemoryShortage(
                      state.pod().namespace(),
                      workload,
                      prediction.device(),
                      more(prediction.peakMemory().upper(), capacity),
                      1,
                      ports.clock().instant())));
    }
    String what =
        "a container ran out of memory on "
            + first.gpuUuid()
            + (prediction == null
                ? ""
                : ", the predicted upper bound was " + prediction.peakMemory().upper());
    ports.cluster().report(state, StatusReport.warning(event(), what + next(pod, state)));
  }

  /** More than was too little, at most the whole GPU. */
  private static MemorySize more(MemorySize tooLittle, MemorySize capacity) {
    return tooLittle.times(STEP).min(capacity);
  }

  /** Annotations of other namespaces may be forged: nothing is learned from them. */
  private boolean isGuarded(WatchedPod pod) {
    return ports.optedIn().test(pod.pod().namespace());
  }

  /** Plans the next action, and describes it. */
  private String next(TrackedPod pod, WatchedPod state) {
    boolean wanted =
        isGuarded(state)
            && ports.policies().get().of(state.pod().namespace()).outOfMemory()
                == Policy.OutOfMemory.RESUBMIT;
    if (!wanted || !Resubmissions.isReplaced(state)) {
      concluded(pod);
      return ADVICE;
    }
    return "; its model's estimate is raised, and " + resubmissions.plan(pod, this);
  }
}
