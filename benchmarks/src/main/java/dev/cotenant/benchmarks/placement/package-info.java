/** How long decisions and plans take. */
@NullMarked
package dev.cotenant.benchmarks.placement;

import org.jspecify.annotations.NullMarked;
