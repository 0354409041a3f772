/** Coefficients that are pulled to typical ones, and bounds from held-out families. */
@NullMarked
package dev.cotenant.llm.fit;

import org.jspecify.annotations.NullMarked;
