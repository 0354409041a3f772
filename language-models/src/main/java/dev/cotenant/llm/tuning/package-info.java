/** Memory of fine-tuning, by method. */
@NullMarked
package dev.cotenant.llm.tuning;

import org.jspecify.annotations.NullMarked;
