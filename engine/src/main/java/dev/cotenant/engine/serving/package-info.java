/** Constants of servers of language models, learnt from measured starts by namespace. */
@NullMarked
package dev.cotenant.engine.serving;

import org.jspecify.annotations.NullMarked;
