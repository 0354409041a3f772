/** Planning fleets, beside the published algorithm as it is printed. */
@NullMarked
package dev.cotenant.benchmarks.placement;

import org.jspecify.annotations.NullMarked;
