/** Measured rows in, a compact forest out. */
@NullMarked
package dev.cotenant.predictor.train;

import org.jspecify.annotations.NullMarked;
