package dev.cotenant.service.rest;

import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import org.jspecify.annotations.Nullable;

/** Mode and precision as callers write them; what is absent is the default. */
public final class RunDocument {
  private RunDocument() {}

  public static RunSettings settings(@Nullable String mode, @Nullable String precision) {
    return RunSettings.of(
        mode == null ? RunSettings.DEFAULT.mode() : ExecutionMode.parse(mode),
        precision == null ? RunSettings.DEFAULT.precision() : Precision.parse(precision));
  }
}
