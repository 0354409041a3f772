/**
 * The gate controller: holds pods in a queue, grants them capacity on one ledger and lets them go.
 * Plain Java; what talks to Kubernetes is behind {@link
 * dev.cotenant.admission.cluster.ClusterWriter}.
 */
@NullMarked
package dev.cotenant.admission.gate;

import org.jspecify.annotations.NullMarked;
