@NullMarked
package dev.cotenant.llm.source;

import org.jspecify.annotations.NullMarked;
