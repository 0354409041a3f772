/** Gradient-boosted regression trees: learning and evaluation, free of any library. */
@NullMarked
package dev.cotenant.predictor.boost;

import org.jspecify.annotations.NullMarked;
