/** Memory of generation with plain transformers. */
@NullMarked
package dev.cotenant.llm.inference;

import org.jspecify.annotations.NullMarked;
