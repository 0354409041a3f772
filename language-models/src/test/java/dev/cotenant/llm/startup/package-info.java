@NullMarked
package dev.cotenant.llm.startup;

import org.jspecify.annotations.NullMarked;
