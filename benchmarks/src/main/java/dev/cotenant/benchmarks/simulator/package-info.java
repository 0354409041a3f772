/** Speed of simulated clusters. */
@NullMarked
package dev.cotenant.benchmarks.simulator;

import org.jspecify.annotations.NullMarked;
