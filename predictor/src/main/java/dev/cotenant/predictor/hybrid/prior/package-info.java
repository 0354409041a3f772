/** Formulas that state a run before its residual is learned: cost of a step, amounts of memory. */
@NullMarked
package dev.cotenant.predictor.hybrid.prior;

import org.jspecify.annotations.NullMarked;
