package dev.cotenant.admission.webhook;

import java.util.Locale;

/** Why a pod with GPUs gets no decision. */
public enum UnmanagedCause {
  /** It names its node, so no gate can hold it. */
  NODE_NAMED,
  /** It requests a MIG instance, which is not shared further. */
  MIG_INSTANCE,
  /** Its model is not registered, under a policy that leaves such pods unmanaged. */
  UNKNOWN_MODEL,
  /** No ResourceClaim can direct it to a GPU. */
  NO_CLAIM,
  /** Its request is invalid, in a mode that does not refuse pods. */
  INVALID_REQUEST,
  /** The mutating webhook was not reached. */
  WEBHOOK_NOT_REACHED;

  /** The value of the metrics' label {@code cause}: {@code node-named}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
