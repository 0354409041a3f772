/**
 * The gate controller's ports to a Kubernetes API server: what it watches, what it writes, who
 * leads, and whose tokens are whose.
 */
@NullMarked
package dev.cotenant.admission.kubernetes;

import org.jspecify.annotations.NullMarked;
