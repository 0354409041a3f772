package dev.cotenant.service;

import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.profile.StoredRuns;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.devices.DeviceWatch;
import dev.cotenant.service.devices.KnownDevices;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.util.Optional;

/** Watches the file of devices, where one is configured. */
@Singleton
final class DeviceReload {
  private final ServiceSettings.Devices settings;
  private final Supervisor supervisor;
  private final DeviceWatch watch;
  private Optional<Loop> loop = Optional.empty();

  DeviceReload(
      ServiceSettings settings,
      KnownDevices devices,
      Engine engine,
      StoredRuns measuredRuns,
      Polling polling,
      Supervisor supervisor,
      MeterRegistry meters) {
    this.settings = settings.devices();
    this.supervisor = supervisor;
    Runnable replaced =
        () -> {
          measuredRuns.outdate();
          polling.announce();
        };
    watch = new DeviceWatch(devices, engine, replaced, meters);
  }

  void start() {
    loop = settings.file().map(_ -> watch.begin(settings.refreshInterval(), supervisor));
  }

  void stop() {
    loop.ifPresent(Loop::close);
  }
}
