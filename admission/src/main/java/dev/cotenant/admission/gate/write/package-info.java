/** Writes about pods, their outcomes, and the deletions of pods. */
@NullMarked
package dev.cotenant.admission.gate.write;

import org.jspecify.annotations.NullMarked;
