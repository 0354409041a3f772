/**
 * Shared types of the predictor: targets, features, training ranges, coverage of bounds,
 * provenance, the file format, and the port {@link dev.cotenant.predictor.model.FeaturePredictor}.
 */
@NullMarked
package dev.cotenant.predictor.model;

import org.jspecify.annotations.NullMarked;
