package dev.cotenant.service;

import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.service.tracing.FakeCollector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A service whose grants and rows the tests of {@link RunningService} do not see; tests that share
 * it take no grant but {@code TracedReviewTest}. It sends traces to a {@link FakeCollector} and
 * reads a file of devices, which is empty at first.
 */
public final class SeparateService extends RunningService {
  @Override
  public Map<String, String> getConfigOverrides() {
    Map<String, String> configuration = super.getConfigOverrides();
    configuration.put("cotenant.traces.endpoint", new FakeCollector().url());
    configuration.put("cotenant.devices.file", emptyDeviceFile().toString());
    configuration.put("cotenant.devices.refresh-interval", "50ms");
    return configuration;
  }

  private static Path emptyDeviceFile() {
    try {
      Path folder = Files.createDirectories(dataDirectory().getParent());
      return Files.writeString(
          folder.resolve("devices.csv"), DeviceFile.write(List.of()).getFirst() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
