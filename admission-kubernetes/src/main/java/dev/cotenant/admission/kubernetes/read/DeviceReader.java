package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.ClaimedDevices;
import dev.cotenant.admission.cluster.ClaimedDevices.DeviceName;
import dev.cotenant.admission.cluster.PublishedDevices;
import dev.cotenant.admission.cluster.PublishedDevices.MigProfile;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.pod.KubernetesQuantity;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads ResourceClaims and ResourceSlices [resource.k8s.io/v1]. */
public final class DeviceReader {
  private static final String UUID_PREFIX = "GPU-";
  private static final String PARENT = "parentUUID";

  /** {@code 2g.20gb}, {@code 1g.10gb+me}: these become part of a CEL expression. */
  private static final Pattern PROFILE =
      Pattern.compile("([1-7])g\\.[0-9]{1,4}gb(?:\\+[a-z.]{1,20})?");

  private static final Pattern PRODUCT = Pattern.compile("[A-Za-z0-9 ._/+-]{1,64}");
  private static final long MAX_BYTES = 1L << 44;

  private DeviceReader() {}

  /**
   * The devices of an allocated claim; empty for another.
   *
   * @throws dev.cotenant.domain.InputException without a name, or with a result without a device
   */
  public static Optional<ClaimedDevices> claim(JsonNode claim) {
    List<DeviceName> devices = new ArrayList<>();
    Set<DeviceName> parts = new HashSet<>();
    for (JsonNode result : claim.at("/status/allocation/devices/results")) {
      if (!result.path("adminAccess").asBoolean()) {
        DeviceName device =
            new DeviceName(
                Json.required(result, "driver"),
                Json.required(result, "pool"),
                Json.required(result, "device"));
        devices.add(device);
        if (requestsPart(claim, result.path("request").asText(""))) {
          parts.add(device);
        }
      }
    }
    return devices.isEmpty()
        ? Optional.empty()
        : Optional.of(new ClaimedDevices(VolumeReader.key(claim), devices, parts));
  }

  /**
   * Whether a request states an amount of memory: one without it takes a divisible device whole.
   */
  private static boolean requestsPart(JsonNode claim, String name) {
    for (JsonNode request : claim.at("/spec/devices/requests")) {
      if (name.equals(request.path("name").asText())) {
        return request.at("/exactly/capacity/requests").has("memory");
      }
    }
    return false;
  }

  /**
   * GPUs of a ResourceSlice with a node; empty without GPUs.
   *
   * @throws dev.cotenant.domain.InputException without a name, a driver or a pool
   */
  public static Optional<PublishedDevices> slice(JsonNode slice) {
    JsonNode spec = slice.path("spec");
    @Nullable String node = Json.text(spec, "nodeName");
    Map<DeviceName, String> uuids = new HashMap<>();
    Set<String> divisible = new HashSet<>();
    Set<MigProfile> profiles = new HashSet<>();
    for (JsonNode device : spec.path("devices")) {
      @Nullable String uuid = uuid(device.path("attributes"));
      if (uuid != null) {
        if (isDivisible(device)) {
          divisible.add(uuid);
        }
        migProfile(device).ifPresent(profiles::add);
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
                Json.required(slice.path("metadata"), "name"), node, uuids, divisible, profiles));
  }

  /** Whether several claims may have a part of the memory of a device [consumable capacity]. */
  private static boolean isDivisible(JsonNode device) {
    return device.path("allowMultipleAllocations").asBoolean()
        && device.at("/capacity/memory/value").isTextual()
        && !device.path("attributes").has(PARENT);
  }

  /** The profile of a MIG device [NVIDIA's driver]; empty for another device. */
  private static Optional<MigProfile> migProfile(JsonNode device) {
    JsonNode attributes = device.path("attributes");
    @Nullable String profile = Json.text(attributes.path("profile"), "string");
    @Nullable String product = Json.text(attributes.path("productName"), "string");
    if (profile == null || product == null || !PRODUCT.matcher(product).matches()) {
      return Optional.empty();
    }
    Matcher named = PROFILE.matcher(profile);
    return named.matches()
        ? KubernetesQuantity.parse(device.at("/capacity/memory/value").asText(""))
            .filter(memory -> memory.isWhole() && memory.isBetween(1, MAX_BYTES))
            .map(memory -> MemorySize.ofBytes(memory.value().longValueExact()))
            .map(memory ->
                new MigProfile(product, profile, Integer.parseInt(named.group(1)), memory))
        : Optional.empty();
  }

  /** The uuid of the GPU that a device is, or is a part of. */
  private static @Nullable String uuid(JsonNode attributes) {
    for (String name : List.of(PARENT, "uuid")) {
      String value = Json.text(attributes.path(name), "string");
      if (value != null && value.startsWith(UUID_PREFIX)) {
        return value;
      }
    }
    return null;
  }
}
