/** Measured profiles of services: how they are stored, and what decisions make of them. */
@NullMarked
package dev.cotenant.engine.serving;

import org.jspecify.annotations.NullMarked;
