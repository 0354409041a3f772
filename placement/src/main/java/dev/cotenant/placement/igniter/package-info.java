/** iGniter's planner and the baselines that its paper compares it with. */
@NullMarked
package dev.cotenant.placement.igniter;

import org.jspecify.annotations.NullMarked;
