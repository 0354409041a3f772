/** The memory that is filled into the requests of other sharing layers. */
@NullMarked
package dev.cotenant.admission.fill;

import org.jspecify.annotations.NullMarked;
