/** What a regressor that a user brings must do, and where it is found. */
@NullMarked
package dev.cotenant.predictor.plugin;

import org.jspecify.annotations.NullMarked;
