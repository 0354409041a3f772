@NullMarked
package dev.cotenant.llm.pod;

import org.jspecify.annotations.NullMarked;
