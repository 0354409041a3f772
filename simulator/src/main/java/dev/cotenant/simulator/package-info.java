/** Replays of recorded pods, as rows of figures. */
@NullMarked
package dev.cotenant.simulator;

import org.jspecify.annotations.NullMarked;
