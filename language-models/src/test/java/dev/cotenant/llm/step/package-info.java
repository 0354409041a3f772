@NullMarked
package dev.cotenant.llm.step;

import org.jspecify.annotations.NullMarked;
