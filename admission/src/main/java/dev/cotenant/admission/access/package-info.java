/** Who may ask: callers that prove themselves by a bearer token. */
@NullMarked
package dev.cotenant.admission.access;

import org.jspecify.annotations.NullMarked;
