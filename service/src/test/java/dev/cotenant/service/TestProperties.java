package dev.cotenant.service;

import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;

/** The build's own system properties for tests share the service's prefix; they are none of its. */
public final class TestProperties implements SmallRyeConfigBuilderCustomizer {
  @Override
  public void configBuilder(SmallRyeConfigBuilder builder) {
    builder
        .withMappingIgnore("cotenant.test.**")
        .withMappingIgnore("cotenant.root")
        .withMappingIgnore("cotenant.fuzz.**")
        .withMappingIgnore("cotenant.page.**")
        .withMappingIgnore("cotenant.docs.**")
        .withMappingIgnore("cotenant.chaos.**")
        .withMappingIgnore("cotenant.soak.**");
  }
}
