/** The state of a cluster's GPUs at one instant. */
@NullMarked
package dev.cotenant.domain.cluster;

import org.jspecify.annotations.NullMarked;
