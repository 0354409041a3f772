/** Ensembles of small trees that state a quantile, and the file they are shipped in. */
@NullMarked
package dev.cotenant.forecast.trees;

import org.jspecify.annotations.NullMarked;
