/**
 * The registry of presets, which repeat published results on simulated clusters, one table each.
 */
@NullMarked
package dev.cotenant.lab;

import org.jspecify.annotations.NullMarked;
