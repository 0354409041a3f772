/** The memory that suffices for a workload's next window, learned from windows of the past. */
@NullMarked
package dev.cotenant.forecast.sizing;

import org.jspecify.annotations.NullMarked;
