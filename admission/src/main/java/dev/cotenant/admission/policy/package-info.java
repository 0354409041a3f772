/** Policies of namespaces. */
@NullMarked
package dev.cotenant.admission.policy;

import org.jspecify.annotations.NullMarked;
