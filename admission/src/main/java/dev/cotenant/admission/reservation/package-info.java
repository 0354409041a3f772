/** Capacity that callers of the interface reserve before they make a pod. */
@NullMarked
package dev.cotenant.admission.reservation;

import org.jspecify.annotations.NullMarked;
