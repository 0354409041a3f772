/** What a language model is made of, as its files declare it. */
@NullMarked
package dev.cotenant.llm.model;

import org.jspecify.annotations.NullMarked;
