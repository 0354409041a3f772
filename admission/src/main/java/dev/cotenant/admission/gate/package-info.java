/**
 * The gate controller: queues gated pods, grants them capacity on one ledger and ungates them.
 * Plain Java; Kubernetes is behind {@link dev.cotenant.admission.cluster.ClusterWriter}.
 */
@NullMarked
package dev.cotenant.admission.gate;

import org.jspecify.annotations.NullMarked;
