/**
 * Fleets that are watched: their metrics, what the loop wants for them, and where they are kept.
 */
@NullMarked
package dev.cotenant.engine.fleet;

import org.jspecify.annotations.NullMarked;
