/** The admission plugin: bytes of an AdmissionReview in, bytes of its answer out. */
@NullMarked
package dev.cotenant.admission;

import org.jspecify.annotations.NullMarked;
