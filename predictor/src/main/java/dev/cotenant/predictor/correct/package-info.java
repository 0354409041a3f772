/**
 * Corrects a predictor with measured runs of one cluster: shrunk offsets in log space, recalibrated
 * bounds and, with many runs, trees on what is left. The base is never changed and its training
 * data never needed.
 */
@NullMarked
package dev.cotenant.predictor.correct;

import org.jspecify.annotations.NullMarked;
