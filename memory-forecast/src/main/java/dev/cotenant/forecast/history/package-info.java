/** A used-memory series as even steps, and the numbers that describe its past. */
@NullMarked
package dev.cotenant.forecast.history;

import org.jspecify.annotations.NullMarked;
