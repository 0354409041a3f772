/** Packs training jobs onto GPUs that are shared in time, as published schedulers do. */
@NullMarked
package dev.cotenant.placement.jobs;

import org.jspecify.annotations.NullMarked;
