/** Traces of pods from their review to decision and patch, by OpenTelemetry, where configured. */
@NullMarked
package dev.cotenant.service.tracing;

import org.jspecify.annotations.NullMarked;
