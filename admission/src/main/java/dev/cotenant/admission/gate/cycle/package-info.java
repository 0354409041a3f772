/** Decisions: about gated pods in queue order, about nodes for a scheduler, and about bindings. */
@NullMarked
package dev.cotenant.admission.gate.cycle;

import org.jspecify.annotations.NullMarked;
