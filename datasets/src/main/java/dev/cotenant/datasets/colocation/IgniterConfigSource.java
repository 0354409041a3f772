package dev.cotenant.datasets.colocation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.ProfilingRuns;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads iGniter's profiling inputs of a V100: one JSON object a line, {@code {"alexnet": {"kernel":
 * 20}}}, {@code hardware} being the device. Grids are batches 1, 16 and 32 by shares 10, 50 and 100
 * %, L2 utilizations those of batch 16.
 */
public final class IgniterConfigSource implements ColocationFile {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String DEVICE = "v100-16gb";
  private static final String HARDWARE = "hardware";
  private static final int[] BATCHES = {1, 16, 32};
  private static final double[] SHARES = {10, 50, 100};
  private static final int BATCH_OF_L2 = 16;

  private final Path file;

  public IgniterConfigSource(Path file) {
    this.file = file;
  }

  @Override
  public List<Path> files() {
    return List.of(file);
  }

  /** Values of one subject of the file by key; grids in row order. */
  private static final class Sheet {
    private final String name;
    private final Map<String, List<Double>> values = new TreeMap<>();

    Sheet(String name) {
      this.name = name;
    }

    void add(Map.Entry<String, JsonNode> entry) {
      addNumbers(entry.getValue(), values.computeIfAbsent(entry.getKey(), _ -> new ArrayList<>()));
    }

    private static void addNumbers(JsonNode value, List<Double> numbers) {
      if (value.isNumber()) {
        numbers.add(value.doubleValue());
      } else if (value.isArray()) {
        value.forEach(each -> addNumbers(each, numbers));
      }
    }

    double number(String key) {
      return numbers(key, 1).getFirst();
    }

    /** So many finite numbers, none below 0. */
    List<Double> numbers(String key, int count) {
      List<Double> found = values.getOrDefault(key, List.of());
      boolean usable = found.stream().allMatch(n -> n >= 0 && n < Double.POSITIVE_INFINITY);
      if (found.size() != count || !usable) {
        throw new UnusableRowException(
            name + "." + key + " must be " + count + " numbers of at least 0, is " + found);
      }
      return found;
    }
  }

  /**
   * The device's profiling; workloads that cannot be used are rejected.
   *
   * @throws InputException ({@code data-not-found}, {@code data-unreadable}, {@code
   *     data-malformed})
   */
  @Override
  public ColocationRows read() {
    Map<String, Sheet> sheets = sheets();
    Sheet hardware = sheets.remove(HARDWARE);
    if (hardware == null) {
      throw malformed("1: no line is about 'hardware'");
    }
    List<ProfilingRuns.Workload> workloads = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    for (Sheet sheet : sheets.values()) {
      try {
        workloads.add(workload(sheet));
      } catch (UnusableRowException e) {
        rejected.add(file + ": " + e.getMessage());
      }
    }
    try {
      ProfilingRuns runs =
          new ProfilingRuns(
              "igniter-config/" + file.getFileName(),
              DEVICE,
              limits(hardware),
              crowds(hardware),
              workloads);
      return new ColocationRows(
          List.of(), List.of(), List.of(), List.of(), List.of(runs), rejected);
    } catch (UnusableRowException e) {
      throw malformed(" " + e.getMessage());
    }
  }

  private static ProfilingRuns.Limits limits(Sheet hardware) {
    return new ProfilingRuns.Limits(
        hardware.number("idlepower"),
        hardware.number("maxGPUpower"),
        hardware.number("maxGPUfrequency"),
        hardware.number("bandwidth"),
        hardware.number("unit"));
  }

  private static List<ProfilingRuns.Crowd> crowds(Sheet hardware) {
    int count = hardware.values.getOrDefault("power", List.of()).size();
    List<Double> watts = hardware.numbers("power", count);
    List<Double> megahertz = hardware.numbers("frequency", count);
    List<Double> delays = hardware.numbers("idletime", count);
    List<ProfilingRuns.Crowd> crowds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      crowds.add(new ProfilingRuns.Crowd(i + 1, watts.get(i), megahertz.get(i), delays.get(i)));
    }
    return crowds;
  }

  private static ProfilingRuns.Workload workload(Sheet sheet) {
    return new ProfilingRuns.Workload(
        sheet.name,
        (int) sheet.number("kernel"),
        sheet.number("inputdata"),
        sheet.number("outputdata"),
        sheet.number("idletime_1"),
        runs(sheet),
        new ProfilingRuns.Beside(
            sheet.number("activetime_1"),
            sheet.number("activetime_2"),
            sheet.number("frequency_2"),
            sheet.number("l2cache")));
  }

  private static List<ProfilingRuns.Run> runs(Sheet sheet) {
    int cells = BATCHES.length * SHARES.length;
    List<Double> millis = sheet.numbers("gpulatency", cells);
    List<Double> watts = sheet.numbers("power", cells);
    List<Double> megahertz = sheet.numbers("frequency", cells);
    List<Double> l2 = sheet.numbers("l2caches", SHARES.length);
    List<ProfilingRuns.Run> runs = new ArrayList<>();
    for (int cell = 0; cell < cells; cell++) {
      int batch = BATCHES[cell / SHARES.length];
      int share = cell % SHARES.length;
      runs.add(
          new ProfilingRuns.Run(
              batch,
              SHARES[share],
              millis.get(cell),
              watts.get(cell),
              megahertz.get(cell),
              batch == BATCH_OF_L2 ? l2.get(share) : null));
    }
    return runs;
  }

  /** Two levels of objects; all numbers of a value in order. */
  private Map<String, Sheet> sheets() {
    Map<String, Sheet> sheets = new TreeMap<>();
    new DataFile(file)
        .readLines((number, line) -> {
          try {
            JSON.readTree(line)
                .properties()
                .forEach(subject -> {
                  Sheet sheet = sheets.computeIfAbsent(subject.getKey(), Sheet::new);
                  subject.getValue().properties().forEach(entry -> sheet.add(entry));
                });
          } catch (JsonProcessingException e) {
            throw malformed(number + ": is not valid JSON: " + e.getOriginalMessage());
          }
        });
    return sheets;
  }

  private InputException malformed(String what) {
    return InputException.malformed("data-malformed", file + ":" + what);
  }
}
