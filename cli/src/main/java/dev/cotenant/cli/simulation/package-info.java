/** Replays of traces. */
@NullMarked
package dev.cotenant.cli.simulation;

import org.jspecify.annotations.NullMarked;
