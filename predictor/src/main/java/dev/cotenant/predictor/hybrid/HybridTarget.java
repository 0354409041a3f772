package dev.cotenant.predictor.hybrid;

/**
 * What answers for one target.
 *
 * @param regression estimates
 * @param bounds bounds of its errors
 */
record HybridTarget(HybridRegression regression, HybridBounds bounds) {}
