@NullMarked
package dev.cotenant.llm.serving;

import org.jspecify.annotations.NullMarked;
