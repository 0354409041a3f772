/** Reading language models and predicting their memory. */
@NullMarked
package dev.cotenant.benchmarks.llm;

import org.jspecify.annotations.NullMarked;
