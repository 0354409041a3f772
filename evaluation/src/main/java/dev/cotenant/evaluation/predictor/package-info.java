/** Honest tables: grouped, seeded, beside baselines. */
@NullMarked
package dev.cotenant.evaluation.predictor;

import org.jspecify.annotations.NullMarked;
