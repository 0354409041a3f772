/** Folders and headers of language models, read without their weights. */
@NullMarked
package dev.cotenant.llm.source;

import org.jspecify.annotations.NullMarked;
