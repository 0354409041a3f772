/** Grants and the ledger of one process. */
@NullMarked
package dev.cotenant.admission.ledger;

import org.jspecify.annotations.NullMarked;
