/** The request of a pod, read from its JSON. */
@NullMarked
package dev.cotenant.admission.pod;

import org.jspecify.annotations.NullMarked;
