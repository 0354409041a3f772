/** How long learning and asking boosted trees take. */
@NullMarked
package dev.cotenant.benchmarks.predictor;

import org.jspecify.annotations.NullMarked;
