package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import org.jspecify.annotations.Nullable;

/**
 * A series read from a file.
 *
 * @param series its samples; empty where every row was blank
 * @param capacity capacity of the newest row that is not blank; null where the file does not say
 * @param blanksDropped rows left out because a value was a blank sentinel
 */
public record RecordedSeries(
    MemorySeries series, @Nullable MemorySize capacity, int blanksDropped) {}
