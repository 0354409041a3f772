/** Replays of what ran on a cluster: recorded jobs in event time under every policy. */
@NullMarked
package dev.cotenant.simulator.replay;

import org.jspecify.annotations.NullMarked;
