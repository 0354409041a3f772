/** Engines, models and settings that a container's command, arguments and environment declare. */
@NullMarked
package dev.cotenant.llm.pod;

import org.jspecify.annotations.NullMarked;
