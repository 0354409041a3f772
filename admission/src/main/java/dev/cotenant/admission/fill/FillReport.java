package dev.cotenant.admission.fill;

import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.quantity.MemorySize;

/**
 * What became of the memory of a pod's request.
 *
 * @param pod the pod, perhaps without a name
 * @param mode that counted; nothing is written in {@code SHADOW} and {@code WARN}
 * @param dialect of the request, or of the filled request
 * @param result the written values, or the reason for none
 * @param intent a dry run is counted apart
 */
public record FillReport(
    PodIdentity pod, Policy.Mode mode, GpuDialect dialect, Result result, Intent intent) {

  /** The written values, or the reason for none. */
  public sealed interface Result {}

  /**
   * Memory or compute that was missing, or stated memory that is lowered.
   *
   * @param freed memory less than a whole GPU, or than the stated amount
   * @param sentence of memory that is stated and stays; empty without
   */
  public record Written(FillRecord record, MemorySize freed, boolean lowered, String sentence)
      implements Result {}

  /** Nothing is written. */
  public record Left(FillCause cause, String sentence) implements Result {}

  /** The value of the metrics' label {@code outcome}. */
  public String outcome() {
    return switch (result) {
      case Written written -> written.lowered() ? "lowered" : "filled";
      case Left left -> left.cause().label();
    };
  }
}
