/** The one ledger of a cluster, for reservations and the scheduler extender. */
@NullMarked
package dev.cotenant.admission.capacity;

import org.jspecify.annotations.NullMarked;
