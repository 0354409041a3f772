/** Policies of simulated clusters, registered by name. */
@NullMarked
package dev.cotenant.simulator.policy;

import org.jspecify.annotations.NullMarked;
