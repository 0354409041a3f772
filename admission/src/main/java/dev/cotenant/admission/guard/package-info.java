/** Judges measured pods by the limits of their grants; pure, without ports, threads or a clock. */
@NullMarked
package dev.cotenant.admission.guard;

import org.jspecify.annotations.NullMarked;
