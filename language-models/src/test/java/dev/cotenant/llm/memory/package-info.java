@NullMarked
package dev.cotenant.llm.memory;

import org.jspecify.annotations.NullMarked;
