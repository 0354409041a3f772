/** Recordings from Prometheus. */
@NullMarked
package dev.cotenant.simulator.replay.source;

import org.jspecify.annotations.NullMarked;
