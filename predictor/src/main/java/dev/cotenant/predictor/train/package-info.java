/** Measured rows in, a compact forest out. The only package that knows the training library. */
@NullMarked
package dev.cotenant.predictor.train;

import org.jspecify.annotations.NullMarked;
