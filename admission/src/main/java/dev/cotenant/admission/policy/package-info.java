/** What is done with the pods of a namespace, as configured. */
@NullMarked
package dev.cotenant.admission.policy;

import org.jspecify.annotations.NullMarked;
