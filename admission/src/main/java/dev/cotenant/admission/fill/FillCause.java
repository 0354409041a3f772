package dev.cotenant.admission.fill;

import java.util.Locale;

/** Why the memory of a pod's request is not filled in. */
public enum FillCause {
  /** The pod states it. */
  STATED,
  /** It requests whole GPUs, and neither policy nor annotation names a dialect instead. */
  WHOLE_GPUS,
  /** Its annotation says never. */
  NEVER,
  /** Its annotation names no dialect that states memory. */
  BAD_ANNOTATION,
  /** Several containers request GPUs. */
  SEVERAL_CONTAINERS,
  /** It requests several GPUs, and its memory on each is not predicted. */
  SEVERAL_GPUS,
  /** The dialect states the memory of one GPU alone. */
  ONE_GPU_ALONE,
  /** No prediction for the model. */
  UNKNOWN_MODEL,
  /** No GPU of the cluster is known. */
  NO_GPU,
  /** No bound holds as often as is required. */
  NOT_COVERED,
  /** Its bound takes a whole GPU. */
  WHOLE_CARD,
  /** The engine cannot be limited to the filled memory. */
  ENGINE,
  /** The workload ran out of filled memory, and no larger bound was learned since. */
  KILLED,
  /** Too many pods of the namespace ran out of filled memory. */
  BUDGET;

  /** The value of the metrics' label {@code outcome}: {@code whole-gpus}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether the pod's creator gets a warning. */
  public boolean isWarned() {
    return switch (this) {
      case STATED, WHOLE_GPUS, NEVER, BUDGET -> false;
      default -> true;
    };
  }
}
