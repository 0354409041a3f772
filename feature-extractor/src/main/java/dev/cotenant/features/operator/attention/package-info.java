/** Attention, its positions and its experts. */
@NullMarked
package dev.cotenant.features.operator.attention;

import org.jspecify.annotations.NullMarked;
