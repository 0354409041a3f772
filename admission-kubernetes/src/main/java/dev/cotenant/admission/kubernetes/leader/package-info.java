/** Leader election by a Lease, and the label of the leader. */
@NullMarked
package dev.cotenant.admission.kubernetes.leader;

import org.jspecify.annotations.NullMarked;
