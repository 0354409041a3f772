/** Errors and bounds of the predicted memory of language models, beside baselines and bars. */
@NullMarked
package dev.cotenant.evaluation.llm;

import org.jspecify.annotations.NullMarked;
