package dev.cotenant.predictor.layered;

import dev.cotenant.predictor.forest.BoundCoverage;

/**
 * What answers for one target.
 *
 * @param regression estimates
 * @param bounds how far off they may be
 * @param coverage how often the bounds hold
 */
record LayeredTarget(LayeredRegression regression, LayeredBounds bounds, BoundCoverage coverage) {}
