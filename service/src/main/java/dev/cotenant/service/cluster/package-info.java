/** State of the cluster as the service reads it. */
@NullMarked
package dev.cotenant.service.cluster;

import org.jspecify.annotations.NullMarked;
