/** Coefficients of a device and its workloads from profiling runs. */
@NullMarked
package dev.cotenant.interference.fit;

import org.jspecify.annotations.NullMarked;
