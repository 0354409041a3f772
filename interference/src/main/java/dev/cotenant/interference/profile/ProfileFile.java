package dev.cotenant.interference.profile;

import dev.cotenant.domain.InputException;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.interference.profile.WorkloadProfile.Demand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The text form of profiles: a first line {@code cotenant-profiles 1}, then one device, workload or
 * served workload a line as {@code kind name key=number …}; empty lines and lines that start with #
 * are skipped. Numbers are written so that they read back to the same bits.
 */
public final class ProfileFile {
  private static final String FIRST_LINE = "cotenant-profiles 1";
  private static final List<String> DEVICE_KEYS =
      List.of(
          "max_power_watts",
          "max_frequency_mhz",
          "idle_power_watts",
          "pcie_bytes_per_ms",
          "frequency_slope_mhz_per_watt",
          "scheduling_slope_ms",
          "scheduling_intercept_ms",
          "share_unit_percent");
  private static final List<String> WORKLOAD_KEYS =
      List.of(
          "device",
          "k1",
          "k2",
          "k3",
          "k4",
          "k5",
          "cache_sensitivity",
          "power_slope",
          "power_intercept_watts",
          "l2_slope",
          "l2_intercept_percent",
          "kernels",
          "scheduling_ms",
          "input_bytes",
          "output_bytes");
  private static final List<String> SERVED_KEYS =
      List.of("profile", "slo_latency_ms", "request_rate_per_second");

  private ProfileFile() {}

  /**
   * Reads a file.
   *
   * @throws InputException ({@code profiles-not-found}, {@code profiles-unreadable}, {@code
   *     bad-profile} naming file and line)
   */
  public static ProfileBook read(Path file) {
    try {
      return parse(file.toString(), Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND, "profiles-not-found", file + " does not exist.", e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "profiles-unreadable",
          file + " cannot be read as UTF-8 text.",
          e);
    }
  }

  /** Reads text; {@code file} names it in errors. */
  public static ProfileBook parse(String file, String text) {
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.getFirst().strip().equals(FIRST_LINE)) {
      throw bad(file, 1, "the first line must be '" + FIRST_LINE + "'");
    }
    List<DeviceProfile> devices = new ArrayList<>();
    List<WorkloadProfile> workloads = new ArrayList<>();
    List<ServedWorkload> served = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        Line cells = new Line(file, i + 1, line);
        switch (cells.kind()) {
          case "device" -> devices.add(device(cells.with(DEVICE_KEYS)));
          case "workload" -> workloads.add(workload(cells.with(WORKLOAD_KEYS)));
          case "serve" -> served.add(served(cells.with(SERVED_KEYS)));
          default -> throw cells.bad("'" + cells.kind() + "' is not device, workload or serve");
        }
      }
    }
    return new ProfileBook(devices, workloads, served);
  }

  /** Writes; {@link #parse} reads it back to the same values. */
  public static String format(ProfileBook book) {
    StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
    for (DeviceProfile d : book.devices()) {
      append(
          text.append("device ").append(d.device()),
          DEVICE_KEYS,
          List.of(
              d.maxPowerWatts(),
              d.maxFrequencyMegahertz(),
              d.idlePowerWatts(),
              d.pcieBytesPerMillisecond(),
              d.frequencySlope(),
              d.schedulingSlope(),
              d.schedulingIntercept(),
              d.shareUnitPercent()));
    }
    for (WorkloadProfile w : book.workloads()) {
      append(text.append("workload ").append(w.name()), WORKLOAD_KEYS, values(w));
    }
    for (ServedWorkload s : book.served()) {
      append(
          text.append("serve ").append(s.name()),
          SERVED_KEYS,
          List.of(s.profile(), s.sloMillis(), s.requestsPerSecond()));
    }
    return text.toString();
  }

  private static List<Object> values(WorkloadProfile w) {
    ActiveTime t = w.activeTime();
    Demand d = w.demand();
    return List.of(
        w.device(),
        t.k1(),
        t.k2(),
        t.k3(),
        t.k4(),
        t.k5(),
        w.cacheSensitivity(),
        d.powerSlope(),
        d.powerIntercept(),
        d.l2Slope(),
        d.l2Intercept(),
        w.kernels(),
        w.schedulingMillis(),
        w.inputBytes(),
        w.outputBytes());
  }

  private static void append(StringBuilder text, List<String> keys, List<?> values) {
    for (int i = 0; i < keys.size(); i++) {
      text.append(' ').append(keys.get(i)).append('=').append(values.get(i));
    }
    text.append('\n');
  }

  private static DeviceProfile device(Line line) {
    return line.checked(() ->
        new DeviceProfile(
            line.name(),
            line.number("max_power_watts"),
            line.number("max_frequency_mhz"),
            line.number("idle_power_watts"),
            line.number("pcie_bytes_per_ms"),
            line.number("frequency_slope_mhz_per_watt"),
            line.number("scheduling_slope_ms"),
            line.number("scheduling_intercept_ms"),
            line.number("share_unit_percent")));
  }

  private static WorkloadProfile workload(Line line) {
    return line.checked(() ->
        new WorkloadProfile(
            line.name(),
            line.text("device"),
            new ActiveTime(
                line.number("k1"),
                line.number("k2"),
                line.number("k3"),
                line.number("k4"),
                line.number("k5")),
            line.number("cache_sensitivity"),
            new Demand(
                line.number("power_slope"),
                line.number("power_intercept_watts"),
                line.number("l2_slope"),
                line.number("l2_intercept_percent")),
            (int) line.number("kernels"),
            line.number("scheduling_ms"),
            line.number("input_bytes"),
            line.number("output_bytes")));
  }

  private static ServedWorkload served(Line line) {
    return line.checked(() ->
        new ServedWorkload(
            line.name(),
            line.text("profile"),
            line.number("slo_latency_ms"),
            line.number("request_rate_per_second")));
  }

  private static InputException bad(String file, int line, String why) {
    return InputException.malformed("bad-profile", file + ":" + line + ": " + why + ".");
  }

  /** One line, split into its cells. */
  private static final class Line {
    private final String file;
    private final int number;
    private final String[] words;
    private final Map<String, String> cells = new LinkedHashMap<>();

    Line(String file, int number, String text) {
      this.file = file;
      this.number = number;
      words = text.split("\\s+");
      if (words.length < 2) {
        throw bad("a name must follow '" + text + "'");
      }
      for (int i = 2; i < words.length; i++) {
        int equals = words[i].indexOf('=');
        if (equals < 1) {
          throw bad("'" + words[i] + "' is not key=value");
        }
        cells.put(words[i].substring(0, equals), words[i].substring(equals + 1));
      }
    }

    String kind() {
      return words[0];
    }

    String name() {
      return words[1];
    }

    Line with(List<String> keys) {
      for (String key : keys) {
        if (!cells.containsKey(key)) {
          throw bad("key " + key + " is missing");
        }
      }
      for (String key : cells.keySet()) {
        if (!keys.contains(key)) {
          throw bad("unknown key " + key);
        }
      }
      return this;
    }

    String text(String key) {
      return cells.getOrDefault(key, "");
    }

    double number(String key) {
      try {
        return Double.parseDouble(text(key));
      } catch (NumberFormatException e) {
        throw bad(key + " '" + text(key) + "' is not a number");
      }
    }

    /** Adds file and line to what a record refuses. */
    <T> T checked(java.util.function.Supplier<T> made) {
      try {
        return made.get();
      } catch (InputException e) {
        throw e.code().equals("bad-profile") ? e : bad(e.getMessage().replaceAll("\\.$", ""));
      }
    }

    InputException bad(String why) {
      return ProfileFile.bad(file, number, why);
    }
  }
}
