package dev.cotenant.interference.profile;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Everything one profile file says.
 *
 * @param devices coefficients of devices
 * @param workloads coefficients of workloads
 * @param served workloads to be served
 */
public record ProfileBook(
    List<DeviceProfile> devices, List<WorkloadProfile> workloads, List<ServedWorkload> served) {
  private static final String V100 = "v100.profiles";
  private static final String TWELVE = "twelve-workloads.profiles";

  public ProfileBook {
    devices = List.copyOf(devices);
    workloads = List.copyOf(workloads);
    served = List.copyOf(served);
  }

  /** The four models of the iGniter paper on a V100, with its authors' coefficients. */
  public static ProfileBook builtIn() {
    return resource(V100);
  }

  /** The twelve workloads of the paper's Table 3. */
  public static ProfileBook twelveWorkloads() {
    return resource(TWELVE);
  }

  /** Union of both books; entries of this book win. */
  public ProfileBook plus(ProfileBook other) {
    return new ProfileBook(
        joined(devices, other.devices, DeviceProfile::device),
        joined(workloads, other.workloads, known -> List.of(known.name(), known.device())),
        joined(served, other.served, ServedWorkload::name));
  }

  private static <T> List<T> joined(List<T> first, List<T> second, Function<T, Object> key) {
    Map<Object, T> all = new LinkedHashMap<>();
    first.forEach(each -> all.putIfAbsent(key.apply(each), each));
    second.forEach(each -> all.putIfAbsent(key.apply(each), each));
    return List.copyOf(all.values());
  }

  public Optional<WorkloadProfile> workload(String name) {
    return workloads.stream().filter(profile -> profile.name().equals(name)).findFirst();
  }

  public Optional<DeviceProfile> device(String id) {
    return devices.stream().filter(profile -> profile.device().equals(id)).findFirst();
  }

  /**
   * As {@link #device}.
   *
   * @throws InputException ({@code device-not-profiled})
   */
  public DeviceProfile requireDevice(String id) {
    return device(id)
        .orElseThrow(() ->
            InputException.invalidArgument(
                "device-not-profiled",
                "No interference coefficients for device '" + id + "': profile it first."));
  }

  private static ProfileBook resource(String name) {
    try (InputStream stream =
        Objects.requireNonNull(ProfileBook.class.getResourceAsStream(name), name)) {
      return ProfileFile.parse(name, new String(stream.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
