package dev.cotenant.placement.igniter;

/** Gives one need after the other a place on the GPUs of a plan. */
interface Seating {
  /** Places it; false when there is no place, and then nothing is changed. */
  boolean seat(Need need);

  /** Somebody else has changed a GPU, or removed it. */
  default void changed(int gpu) {}
}
