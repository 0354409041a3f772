/** Reservations: capacity that REST callers reserve before they create a pod. */
@NullMarked
package dev.cotenant.admission.reservation;

import org.jspecify.annotations.NullMarked;
