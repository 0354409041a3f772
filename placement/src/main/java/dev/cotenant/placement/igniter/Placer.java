package dev.cotenant.placement.igniter;

/** Gives one need after the other a place on the GPUs of a plan. */
interface Placer {
  /** Places it; false when there is no place, and then nothing is changed. */
  boolean place(Need need);

  /** A GPU was changed or removed elsewhere. */
  default void changed(int gpu) {}
}
