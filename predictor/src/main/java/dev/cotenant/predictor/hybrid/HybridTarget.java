package dev.cotenant.predictor.hybrid;

/**
 * What answers for one target.
 *
 * @param regression estimates
 * @param bounds how far off they may be
 */
record HybridTarget(HybridRegression regression, HybridBounds bounds) {}
