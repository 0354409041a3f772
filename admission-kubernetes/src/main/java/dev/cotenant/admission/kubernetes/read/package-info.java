/** Readers of pods and nodes as JSON. */
@NullMarked
package dev.cotenant.admission.kubernetes.read;

import org.jspecify.annotations.NullMarked;
