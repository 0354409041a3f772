/**
 * What measured pairs and profiling runs teach: calibrated slowdowns and iGniter's coefficients.
 */
@NullMarked
package dev.cotenant.evaluation.pairs;

import org.jspecify.annotations.NullMarked;
