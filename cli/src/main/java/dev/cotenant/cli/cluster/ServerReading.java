package dev.cotenant.cli.cluster;

import dev.cotenant.domain.InputException;
import dev.cotenant.forecast.prometheus.DeviceMetrics;
import dev.cotenant.forecast.prometheus.DroppedSamples;
import dev.cotenant.forecast.prometheus.MetricsReading;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a server showed. */
record ServerReading(MetricsReading.Fetched fetched) {

  /**
   * The GPU of this uuid, or the only one.
   *
   * @throws InputException ({@code unknown-gpu}) naming those there are
   */
  DeviceMetrics require(@Nullable String uuid) {
    List<DeviceMetrics> devices = fetched.devices();
    if (uuid == null && devices.size() == 1) {
      return devices.getFirst();
    }
    return devices.stream()
        .filter(device -> device.uuid().equals(uuid))
        .findFirst()
        .orElseThrow(() ->
            InputException.notFound(
                "unknown-gpu",
                (uuid == null
                        ? "the server has " + devices.size() + " GPUs, name one with --gpu"
                        : "the server has no GPU '" + uuid + "'")
                    + ": it knows "
                    + (devices.isEmpty()
                        ? "none"
                        : devices.stream()
                            .map(DeviceMetrics::uuid)
                            .limit(20)
                            .collect(Collectors.joining(", ")))
                    + "."));
  }

  /** The server's warnings, and what was left out. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    fetched.warnings().forEach(warning -> notes.add("server: " + warning));
    DroppedSamples dropped = fetched.dropped();
    if (dropped.total() > 0) {
      notes.add(
          "left out: "
              + dropped.blank()
              + " blank, "
              + dropped.notFinite()
              + " not finite, "
              + dropped.outOfRange()
              + " out of range, "
              + dropped.repeated()
              + " repeated, "
              + dropped.future()
              + " of the future, "
              + dropped.nameless()
              + " without a UUID");
    }
    return notes;
  }
}
