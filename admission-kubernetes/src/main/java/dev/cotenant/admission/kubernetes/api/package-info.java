/** Plain requests to the API server. */
@NullMarked
package dev.cotenant.admission.kubernetes.api;

import org.jspecify.annotations.NullMarked;
