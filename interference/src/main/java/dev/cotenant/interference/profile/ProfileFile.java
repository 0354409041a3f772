package dev.cotenant.interference.profile;

import dev.cotenant.domain.InputException;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.interference.profile.WorkloadProfile.Demand;
import dev.cotenant.interference.solo.SoloPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The text form of profiles: a first line {@code cotenant-profiles 1}, then one device, workload or
 * served workload a line as {@code kind name key=number …}; empty lines and lines that start with #
 * are skipped. A workload with the points of InSS's regression has three keys more, one that was
 * profiled in another range than {@link ProfiledRange#STANDARD} its {@code min_batch}, {@code
 * max_batch} and {@code min_share_percent}. {@link ProfileText} writes it.
 */
public final class ProfileFile {
  private static final String POINTS = "points";
  private static final String RANGE = "min_batch";
  private static final int MAX_POINTS = 64;

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
    if (lines.isEmpty() || !lines.getFirst().strip().equals(ProfileText.FIRST_LINE)) {
      throw bad(file, 1, "the first line must be '" + ProfileText.FIRST_LINE + "'");
    }
    List<DeviceProfile> devices = new ArrayList<>();
    List<WorkloadProfile> workloads = new ArrayList<>();
    List<ServedWorkload> served = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        Line cells = new Line(file, i + 1, line);
        switch (cells.kind()) {
          case "device" -> devices.add(device(cells));
          case "workload" -> workloads.add(workload(cells));
          case "serve" -> served.add(served(cells));
          default -> throw cells.bad("'" + cells.kind() + "' is not device, workload or serve");
        }
      }
    }
    return new ProfileBook(devices, workloads, served);
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
    return line.checked(() -> {
      WorkloadProfile igniter = igniter(line);
      if (line.has(POINTS)) {
        return igniter.with(inss(line));
      }
      return line.has(RANGE) ? igniter.in(range(line)) : igniter;
    });
  }

  private static ProfiledRange range(Line line) {
    return new ProfiledRange(
        line.whole(RANGE), line.whole("max_batch"), line.number("min_share_percent"));
  }

  /** {@code points=1@20:3.2,2@20:4.1}: batch, share in percent, active milliseconds. */
  private static InssTimes inss(Line line) {
    List<SoloPoint> points = new ArrayList<>();
    for (String point : line.text(POINTS).split(",", -1)) {
      String[] parts = point.split("[@:]", -1);
      if (parts.length != 3 || points.size() == MAX_POINTS) {
        throw line.bad(
            POINTS
                + " must be 8 to "
                + MAX_POINTS
                + " of BATCH@SHARE:MILLISECONDS, commas between");
      }
      points.add(
          new SoloPoint(
              line.whole(POINTS, parts[0]),
              line.parsed(POINTS, parts[1]),
              line.parsed(POINTS, parts[2])));
    }
    return InssTimes.of(
        points, line.number("l2_share_slope"), line.number("l2_share_intercept_percent"));
  }

  private static WorkloadProfile igniter(Line line) {
    return new WorkloadProfile(
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
        line.number("output_bytes"));
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
    private final Set<String> read = new HashSet<>();

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
        String key = words[i].substring(0, equals);
        if (cells.put(key, words[i].substring(equals + 1)) != null) {
          throw bad("key " + key + " is there twice");
        }
      }
    }

    String kind() {
      return words[0];
    }

    String name() {
      return words[1];
    }

    String text(String key) {
      String value = cells.get(key);
      if (value == null) {
        throw bad("key " + key + " is missing");
      }
      read.add(key);
      return value;
    }

    boolean has(String key) {
      return cells.containsKey(key);
    }

    double number(String key) {
      return parsed(key, text(key));
    }

    int whole(String key) {
      return whole(key, text(key));
    }

    int whole(String key, String value) {
      double batch = parsed(key, value);
      if (batch != Math.rint(batch)) {
        throw bad("a batch must be a whole number, is " + value);
      }
      return (int) batch;
    }

    double parsed(String key, String value) {
      try {
        return Double.parseDouble(value);
      } catch (NumberFormatException e) {
        throw bad(key + " '" + value + "' is not a number");
      }
    }

    /** Adds file and line to what a record refuses; refuses keys that it did not read. */
    <T> T checked(Supplier<T> made) {
      try {
        T value = made.get();
        for (String key : cells.keySet()) {
          if (!read.contains(key)) {
            throw bad("unknown key " + key);
          }
        }
        return value;
      } catch (InputException e) {
        throw e.code().equals("bad-profile") ? e : bad(e.getMessage().replaceAll("\\.$", ""));
      }
    }

    InputException bad(String why) {
      return ProfileFile.bad(file, number, why);
    }
  }
}
