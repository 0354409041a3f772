/** Numerical methods: least squares and Gaussian processes. */
@NullMarked
package dev.cotenant.interference.fit;

import org.jspecify.annotations.NullMarked;
