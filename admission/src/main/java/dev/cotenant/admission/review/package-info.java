/** The wire format of admission reviews. */
@NullMarked
package dev.cotenant.admission.review;

import org.jspecify.annotations.NullMarked;
