/** The dependencies and settings of the gate controller. */
@NullMarked
package dev.cotenant.admission.gate.port;

import org.jspecify.annotations.NullMarked;
