/** Pods whose memory was recorded, arriving one by one. */
@NullMarked
package dev.cotenant.simulator.memory;

import org.jspecify.annotations.NullMarked;
