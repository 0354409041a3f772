/** Graph features, batch, mode and device to utilization and peak memory, with bounds. */
@NullMarked
package dev.cotenant.predictor;

import org.jspecify.annotations.NullMarked;
