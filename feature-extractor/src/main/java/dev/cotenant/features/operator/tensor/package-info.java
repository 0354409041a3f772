/** Operators that move, select, reshape or generate elements. */
@NullMarked
package dev.cotenant.features.operator.tensor;

import org.jspecify.annotations.NullMarked;
