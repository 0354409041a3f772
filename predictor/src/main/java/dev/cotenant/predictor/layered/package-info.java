/**
 * The predictor in layers: a mechanistic prior, a smooth correction of it, and trees that correct
 * both, the corrections fading with the distance from what was measured.
 */
@NullMarked
package dev.cotenant.predictor.layered;

import org.jspecify.annotations.NullMarked;
