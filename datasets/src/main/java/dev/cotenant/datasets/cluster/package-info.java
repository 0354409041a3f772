/** Recorded clusters: nodes and the pods that came to them. */
@NullMarked
package dev.cotenant.datasets.cluster;

import org.jspecify.annotations.NullMarked;
