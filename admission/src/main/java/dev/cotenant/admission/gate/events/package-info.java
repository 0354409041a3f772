/** The events of pods, and what they change in the state of the term. */
@NullMarked
package dev.cotenant.admission.gate.events;

import org.jspecify.annotations.NullMarked;
