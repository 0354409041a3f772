/** Pods and nodes as the API server has them, and the port that writes to it. */
@NullMarked
package dev.cotenant.admission.cluster;

import org.jspecify.annotations.NullMarked;
