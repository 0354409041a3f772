package dev.cotenant.admission.assignment;

/** The current use of a node's GPUs. */
public enum NodeUse {
  FREE,
  /** It is known which GPUs are used. */
  BY_GPU,
  /** A GPU is in use, and only the kubelet knows which. */
  BY_COUNT
}
