/** The product's gate controller in simulated time. */
@NullMarked
package dev.cotenant.simulator.gate;

import org.jspecify.annotations.NullMarked;
