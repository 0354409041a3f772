package dev.cotenant.service.devices;

import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.service.configuration.PolicyDevices;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The built-in devices and those of a file, where one is configured.
 *
 * @param file a CSV file of devices, mounted from a ConfigMap in a cluster
 * @param policies policies, whose device ids must exist
 */
public record KnownDevices(Optional<Path> file, Policies policies) {
  /**
   * The catalogue as the file is now.
   *
   * @throws dev.cotenant.domain.InputException where the file cannot be read, naming file and line,
   *     or lacks a device that a policy names
   */
  public DeviceCatalogue read() {
    DeviceCatalogue builtIn = DeviceCatalogue.builtIn();
    DeviceCatalogue devices =
        file.map(path -> builtIn.plus(new DeviceFile(path).read())).orElse(builtIn);
    PolicyDevices.require(policies, devices);
    return devices;
  }
}
