/** A model's predictions with what is laid over them. */
@NullMarked
package dev.cotenant.predictor.layer;

import org.jspecify.annotations.NullMarked;
