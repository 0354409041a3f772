package dev.cotenant.domain.forecast;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;

/** Device memory in use at one instant. */
public record MemorySample(Instant at, MemorySize used) {}
