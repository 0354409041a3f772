/**
 * The hybrid predictor: a mechanistic prior plus residual boosting, that is a smooth correction of
 * the prior and boosted trees on what both miss. Corrections fade with the distance from measured
 * runs.
 */
@NullMarked
package dev.cotenant.predictor.hybrid;

import org.jspecify.annotations.NullMarked;
