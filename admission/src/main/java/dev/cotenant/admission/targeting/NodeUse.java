package dev.cotenant.admission.targeting;

/** How the GPUs of a node are used at the moment, as far as it matters who chooses among them. */
public enum NodeUse {
  /** Nobody is there. */
  FREE,
  /** It is known which GPUs are used. */
  BY_GPU,
  /** Somebody has a GPU, and only the kubelet knows which. */
  BY_COUNT
}
