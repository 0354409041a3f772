/** Operators that compute: convolutions, products, activations, reductions. */
@NullMarked
package dev.cotenant.features.operator.layer;

import org.jspecify.annotations.NullMarked;
