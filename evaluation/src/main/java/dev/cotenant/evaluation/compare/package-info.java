/**
 * Regression libraries of other people on the same rows as our predictor, and the table of UtilPred
 * that compares such families.
 */
@NullMarked
package dev.cotenant.evaluation.compare;

import org.jspecify.annotations.NullMarked;
