/** A recorded cluster, filled pod by pod. */
@NullMarked
package dev.cotenant.lab.cluster;

import org.jspecify.annotations.NullMarked;
