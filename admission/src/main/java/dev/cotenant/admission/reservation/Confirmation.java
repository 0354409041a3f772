package dev.cotenant.admission.reservation;

/** What became of a confirmation. */
public sealed interface Confirmation {
  /** It is the pod's; repeating a confirmation is harmless. */
  record Confirmed(Reservation reservation) implements Confirmation {}

  /** It was changed since the caller looked at it. */
  record Changed(Reservation now) implements Confirmation {}

  /** It is another pod's. */
  record OtherPod(Reservation now) implements Confirmation {}

  /** It lapsed or was given back: there is nothing to confirm any more. */
  record Lapsed(Reservation was) implements Confirmation {}

  /** There is none of this id. */
  record Unknown() implements Confirmation {}
}
