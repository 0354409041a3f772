/** Measured starts of servers of language models: what callers send, and what metrics tell. */
@NullMarked
package dev.cotenant.service.serving;

import org.jspecify.annotations.NullMarked;
