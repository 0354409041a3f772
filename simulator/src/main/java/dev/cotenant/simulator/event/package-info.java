/** A clock that jumps from event to event. */
@NullMarked
package dev.cotenant.simulator.event;

import org.jspecify.annotations.NullMarked;
