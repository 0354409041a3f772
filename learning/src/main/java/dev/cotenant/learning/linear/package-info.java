/** Linear algebra for learning: least squares, Gaussian processes, symmetric systems. */
@NullMarked
package dev.cotenant.learning.linear;

import org.jspecify.annotations.NullMarked;
