/** Reviews of bearer tokens and of the rights of users. */
@NullMarked
package dev.cotenant.admission.kubernetes.access;

import org.jspecify.annotations.NullMarked;
