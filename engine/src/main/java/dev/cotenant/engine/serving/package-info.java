/**
 * Measured profiles of services, and constants of servers of language models learned from measured
 * starts, both by namespace.
 */
@NullMarked
package dev.cotenant.engine.serving;

import org.jspecify.annotations.NullMarked;
