/** The learned model of the peak forecaster and its file. */
@NullMarked
package dev.cotenant.forecast.trees;

import org.jspecify.annotations.NullMarked;
