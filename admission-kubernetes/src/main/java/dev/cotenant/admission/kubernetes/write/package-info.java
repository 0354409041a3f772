/** Writes of the gate controller to the API server. */
@NullMarked
package dev.cotenant.admission.kubernetes.write;

import org.jspecify.annotations.NullMarked;
