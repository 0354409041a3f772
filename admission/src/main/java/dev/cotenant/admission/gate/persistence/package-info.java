/** Persists the state that outlives a term. */
@NullMarked
package dev.cotenant.admission.gate.persistence;

import org.jspecify.annotations.NullMarked;
