/** A recorded cluster, filled pod by pod. */
@NullMarked
package dev.cotenant.simulator.cluster;

import org.jspecify.annotations.NullMarked;
