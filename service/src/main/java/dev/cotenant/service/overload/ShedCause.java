package dev.cotenant.service.overload;

/** Cause of refusing a request or closing a connection. */
public enum ShedCause {
  /** Request bodies in flight hold as much memory as they may. */
  BYTES,
  /** The listener, or the peer's address, has as many connections as it may. */
  CONNECTIONS,
  /** A stage of the connection took too long. */
  DEADLINE,
  /** The port was closed for a moment, by the resets that the kernel sent meanwhile. */
  KERNEL,
  /** The maximum number of reviews is in progress. */
  REVIEWS
}
