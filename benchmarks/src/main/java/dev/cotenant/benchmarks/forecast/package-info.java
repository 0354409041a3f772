/** How long a cluster's used memory takes to be read and forecast. */
@NullMarked
package dev.cotenant.benchmarks.forecast;

import org.jspecify.annotations.NullMarked;
