/**
 * Results of InSS: its cluster, its placement and how that is learned, and the lab's presets of it.
 */
@NullMarked
package dev.cotenant.lab.inss;

import org.jspecify.annotations.NullMarked;
