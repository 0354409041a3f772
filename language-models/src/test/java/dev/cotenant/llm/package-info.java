@NullMarked
package dev.cotenant.llm;

import org.jspecify.annotations.NullMarked;
