/** How long interference models take. */
@NullMarked
package dev.cotenant.benchmarks.interference;

import org.jspecify.annotations.NullMarked;
