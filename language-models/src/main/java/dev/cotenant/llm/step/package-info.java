/** What a step of a language model computes and moves. */
@NullMarked
package dev.cotenant.llm.step;

import org.jspecify.annotations.NullMarked;
