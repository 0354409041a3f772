/** Pod events and their effects on the term's state. */
@NullMarked
package dev.cotenant.admission.gate.events;

import org.jspecify.annotations.NullMarked;
