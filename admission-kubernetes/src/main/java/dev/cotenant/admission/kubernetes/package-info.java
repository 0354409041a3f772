/** The gate controller's ports to a Kubernetes API server: watches, writes, leader, tokens. */
@NullMarked
package dev.cotenant.admission.kubernetes;

import org.jspecify.annotations.NullMarked;
