/** Time lines and distributions of a run in bounded memory. */
@NullMarked
package dev.cotenant.simulator.world.recorder;

import org.jspecify.annotations.NullMarked;
