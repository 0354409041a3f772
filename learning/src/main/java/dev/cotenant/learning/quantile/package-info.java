/** Quantiles of samples: interpolated, weighted and conformal. */
@NullMarked
package dev.cotenant.learning.quantile;

import org.jspecify.annotations.NullMarked;
