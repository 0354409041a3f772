/** Measured rows of a cluster: their columns, how they are read, and the port of their store. */
@NullMarked
package dev.cotenant.engine.profile;

import org.jspecify.annotations.NullMarked;
