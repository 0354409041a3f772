/**
 * Soft actor-critic for several discrete choices at once, on plain arrays. Independent of GPUs: it
 * learns from an {@link dev.cotenant.simulator.reinforcement.Environment}.
 */
@NullMarked
package dev.cotenant.simulator.reinforcement;

import org.jspecify.annotations.NullMarked;
