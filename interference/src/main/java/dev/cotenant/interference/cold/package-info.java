/** Workloads that were never profiled. */
@NullMarked
package dev.cotenant.interference.cold;

import org.jspecify.annotations.NullMarked;
