/**
 * Learners of other libraries. They run in the command line only, and write trees of {@code
 * learning}, which every predictor file holds.
 */
@NullMarked
package dev.cotenant.evaluation.learner;

import org.jspecify.annotations.NullMarked;
