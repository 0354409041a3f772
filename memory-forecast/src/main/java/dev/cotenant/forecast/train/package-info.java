/** Trees and constants of the peak forecaster, learned from recorded series. */
@NullMarked
package dev.cotenant.forecast.train;

import org.jspecify.annotations.NullMarked;
