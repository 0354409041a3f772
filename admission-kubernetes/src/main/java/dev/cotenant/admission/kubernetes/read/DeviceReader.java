package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.kubernetes.api.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads ResourceClaims and ResourceSlices [resource.k8s.io/v1]. */
public final class DeviceReader {
  private static final String UUID_PREFIX = "GPU-";

  private DeviceReader() {}

  /**
   * The devices of an allocated claim; empty for another.
   *
   * @throws dev.cotenant.domain.InputException without a name, or with a result without a device
   */
  public static Optional<ClaimedDevices> claim(JsonNode claim) {
    List<DeviceName> devices = new ArrayList<>();
    for (JsonNode result : claim.at("/status/allocation/devices/results")) {
      if (!result.path("adminAccess").asBoolean()) {
        devices.add(
            new DeviceName(
                Json.required(result, "driver"),
                Json.required(result, "pool"),
                Json.required(result, "device")));
      }
    }
    return devices.isEmpty()
        ? Optional.empty()
        : Optional.of(new ClaimedDevices(VolumeReader.key(claim), devices));
  }

  /**
   * The GPUs of a slice of one node; empty for a slice without any.
   *
   * @throws dev.cotenant.domain.InputException without a name, a driver or a pool
   */
  public static Optional<PublishedDevices> slice(JsonNode slice) {
    JsonNode spec = slice.path("spec");
    @Nullable String node = Json.text(spec, "nodeName");
    Map<DeviceName, String> uuids = new HashMap<>();
    Set<String> divisible = new HashSet<>();
    for (JsonNode device : spec.path("devices")) {
      @Nullable String uuid = uuid(device.path("attributes"));
      if (uuid != null) {
        if (isDivisible(device)) {
          divisible.add(uuid);
        }
        uuids.put(
            new DeviceName(
                Json.required(spec, "driver"),
                Json.required(spec.path("pool"), "name"),
                Json.required(device, "name")),
            uuid);
      }
    }
    return node == null || uuids.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PublishedDevices(
                Json.required(slice.path("metadata"), "name"), node, uuids, divisible));
  }

  /** Whether several claims may have a part of the memory of a device [consumable capacity]. */
  private static boolean isDivisible(JsonNode device) {
    return device.path("allowMultipleAllocations").asBoolean()
        && device.at("/capacity/memory/value").isTextual();
  }

  /** The uuid of the GPU that a device is, or is a part of. */
  private static @Nullable String uuid(JsonNode attributes) {
    for (String name : List.of("parentUUID", "uuid")) {
      String value = Json.text(attributes.path(name), "string");
      if (value != null && value.startsWith(UUID_PREFIX)) {
        return value;
      }
    }
    return null;
  }
}
