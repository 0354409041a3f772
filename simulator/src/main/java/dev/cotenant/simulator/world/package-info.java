/**
 * A cluster in simulated time: finite GPUs, arriving jobs, a queue, work that neighbours stretch,
 * memory that grows, energy. Policies see a {@link dev.cotenant.simulator.world.View}; what jobs
 * really do is private to this package.
 */
@NullMarked
package dev.cotenant.simulator.world;

import org.jspecify.annotations.NullMarked;
