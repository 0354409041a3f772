/** Fleets, plans, and predictions for plans. */
@NullMarked
package dev.cotenant.placement.fleet;

import org.jspecify.annotations.NullMarked;
