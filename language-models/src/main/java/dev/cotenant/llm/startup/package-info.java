/** What an engine's log states about one start of it. */
@NullMarked
package dev.cotenant.llm.startup;

import org.jspecify.annotations.NullMarked;
