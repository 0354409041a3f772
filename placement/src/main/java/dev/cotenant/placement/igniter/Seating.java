package dev.cotenant.placement.igniter;

/** Gives one need after the other a place on the GPUs of a plan. */
interface Seating {
  /** Places it; false when there is no place, and then nothing is changed. */
  boolean seat(Need need);

  /** A GPU was changed or removed elsewhere. */
  default void changed(int gpu) {}
}
