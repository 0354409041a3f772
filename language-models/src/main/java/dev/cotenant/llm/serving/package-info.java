/** Memory of a vLLM server, by version, card and arguments. */
@NullMarked
package dev.cotenant.llm.serving;

import org.jspecify.annotations.NullMarked;
