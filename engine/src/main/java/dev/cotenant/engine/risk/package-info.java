/** Risks of slowdown learned from measured speeds. */
@NullMarked
package dev.cotenant.engine.risk;

import org.jspecify.annotations.NullMarked;
