/** Patterns of nodes in a graph: layers, activations and the products of attention. */
@NullMarked
package dev.cotenant.features.pattern;

import org.jspecify.annotations.NullMarked;
