@NullMarked
package dev.cotenant.admission.gate.cycle;

import org.jspecify.annotations.NullMarked;
