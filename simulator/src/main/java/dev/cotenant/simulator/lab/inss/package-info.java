/**
 * Results of InSS: its cluster, its placement and how that is learned, and the lab's presets of it.
 */
@NullMarked
package dev.cotenant.simulator.lab.inss;

import org.jspecify.annotations.NullMarked;
