/** Predictions of workloads before they run, with bounds. */
@NullMarked
package dev.cotenant.domain.prediction;

import org.jspecify.annotations.NullMarked;
