/** Bytes of weights, KV caches and states, by arithmetic. */
@NullMarked
package dev.cotenant.llm.memory;

import org.jspecify.annotations.NullMarked;
