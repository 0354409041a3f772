/** Load at a fixed rate, measured from when each request was due. */
@NullMarked
package dev.cotenant.benchmarks.load;

import org.jspecify.annotations.NullMarked;
