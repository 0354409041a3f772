/** Authentication of bearer tokens and authorization of users. */
@NullMarked
package dev.cotenant.admission.access;

import org.jspecify.annotations.NullMarked;
