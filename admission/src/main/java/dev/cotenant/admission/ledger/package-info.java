/** Who has been granted what, in one process. */
@NullMarked
package dev.cotenant.admission.ledger;

import org.jspecify.annotations.NullMarked;
