/** Planned filling of pods and of pod templates. */
@NullMarked
package dev.cotenant.admission.fill.plan;

import org.jspecify.annotations.NullMarked;
