package dev.cotenant.service.intake;

/** Why a request or a connection is refused or cut. */
public enum ShedCause {
  /** Request bodies in flight hold as much memory as they may. */
  BYTES,
  /** The listener, or the peer's address, has as many connections as it may. */
  CONNECTIONS,
  /** A stage of the connection took too long. */
  DEADLINE,
  /** As many reviews as may are being answered. */
  REVIEWS
}
