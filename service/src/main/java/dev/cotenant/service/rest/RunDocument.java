package dev.cotenant.service.rest;

import dev.cotenant.domain.workload.RunOptions;
import dev.cotenant.domain.workload.RunSettings;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Run settings as the fields of a workload; what is absent is the default. */
public final class RunDocument {
  private RunDocument() {}

  /**
   * The settings of a workload.
   *
   * @param rate requests per second of inference
   */
  public static RunSettings settings(
      @Nullable String mode,
      @Nullable String precision,
      @Nullable String framework,
      @Nullable Double rate) {
    Map<String, @Nullable String> options = new HashMap<>();
    options.put(RunOptions.MODE, mode);
    options.put(RunOptions.PRECISION, precision);
    options.put(RunOptions.FRAMEWORK, framework);
    options.put(RunOptions.REQUEST_RATE, rate == null ? null : rate.toString());
    return RunOptions.read(options::get);
  }
}
