/** From readings of a cluster's GPUs, recorded or live, to snapshots. */
@NullMarked
package dev.cotenant.engine.cluster;

import org.jspecify.annotations.NullMarked;
