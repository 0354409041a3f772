package dev.cotenant.service.configuration;

import io.quarkus.runtime.configuration.MemorySize;
import io.smallrye.config.WithDefault;

/** Uploaded models. */
public interface UploadConfiguration {
  /** The largest ONNX file that is taken. */
  @WithDefault("256M")
  MemorySize maxSize();
}
