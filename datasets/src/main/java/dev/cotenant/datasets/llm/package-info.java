/** Published memory of language models: serving, fine-tuning and generation. */
@NullMarked
package dev.cotenant.datasets.llm;

import org.jspecify.annotations.NullMarked;
