/**
 * Soft actor-critic for several discrete choices at once, on plain arrays. It knows nothing of
 * GPUs: what it learns from is an {@link dev.cotenant.lab.reinforcement.Environment}.
 */
@NullMarked
package dev.cotenant.lab.reinforcement;

import org.jspecify.annotations.NullMarked;
