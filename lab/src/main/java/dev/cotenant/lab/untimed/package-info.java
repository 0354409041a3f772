/** Replays of recorded pods, as rows of figures. */
@NullMarked
package dev.cotenant.lab.untimed;

import org.jspecify.annotations.NullMarked;
