/**
 * Soft actor-critic for several discrete choices at once, on plain arrays. It knows nothing of
 * GPUs: what it learns from is an {@link dev.cotenant.simulator.reinforcement.Environment}.
 */
@NullMarked
package dev.cotenant.simulator.reinforcement;

import org.jspecify.annotations.NullMarked;
