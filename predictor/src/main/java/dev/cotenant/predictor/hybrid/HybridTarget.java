package dev.cotenant.predictor.hybrid;

import dev.cotenant.predictor.model.BoundCoverage;

/**
 * What answers for one target.
 *
 * @param regression estimates
 * @param bounds how far off they may be
 * @param coverage how often the bounds hold
 */
record HybridTarget(HybridRegression regression, HybridBounds bounds, BoundCoverage coverage) {}
