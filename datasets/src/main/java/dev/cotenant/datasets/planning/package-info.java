/** Sets of workloads to be planned. */
@NullMarked
package dev.cotenant.datasets.planning;

import org.jspecify.annotations.NullMarked;
