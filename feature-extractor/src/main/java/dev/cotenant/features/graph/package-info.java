/** A parsed model: nodes, stored tensors without their data, declared values. */
@NullMarked
package dev.cotenant.features.graph;

import org.jspecify.annotations.NullMarked;
