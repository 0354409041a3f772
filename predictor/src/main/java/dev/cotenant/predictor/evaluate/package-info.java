/** Honest tables: grouped, seeded, beside baselines. */
@NullMarked
package dev.cotenant.predictor.evaluate;

import org.jspecify.annotations.NullMarked;
