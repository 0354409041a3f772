/** Judges measured pods by their promises; pure, without ports, threads or a clock. */
@NullMarked
package dev.cotenant.admission.guard;

import org.jspecify.annotations.NullMarked;
