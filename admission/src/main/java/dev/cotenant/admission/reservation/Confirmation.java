package dev.cotenant.admission.reservation;

/** The result of a confirmation. */
public sealed interface Confirmation {
  /** The reservation is bound to the pod; idempotent. */
  record Confirmed(Reservation reservation) implements Confirmation {}

  /** The version differs from the caller's. */
  record Changed(Reservation now) implements Confirmation {}

  /** The reservation is bound to another pod. */
  record OtherPod(Reservation now) implements Confirmation {}

  /** The reservation has expired or was released. */
  record Expired(Reservation was) implements Confirmation {}

  /** No reservation has this id. */
  record Unknown() implements Confirmation {}
}
