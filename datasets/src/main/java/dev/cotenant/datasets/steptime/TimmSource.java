package dev.cotenant.datasets.steptime;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads timm's benchmark results: images on whole devices, with published totals of each network. A
 * file's name states mode, precision, layout, stack and device, such as {@code
 * benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv.gz}. Training files have no
 * multiply-accumulates: they come from the inference files of the folder, by model and image size.
 *
 * @param path a folder of such files, or one
 */
public record TimmSource(Path path) implements StepTimeSource {
  static final String FORMAT = "timm";
  private static final Pattern NAME =
      Pattern.compile(
          "benchmark-(infer|train)-(amp|fp16|float16|bf16|bfloat16|fp32|float32)-(nchw|nhwc)-"
              + "(pt[0-9]+)-(cu[0-9]+)-([a-z0-9_.-]+?)\\.csv(\\.gz)?");
  private static final int MAX_PIXELS = 10_000;
  private static final double MILLION = 1e6;
  private static final double BILLION = 1e9;
  private static final int CHANNELS = 3;

  /** Names of which the digits and the rest after the first are no family. */
  private static final Pattern FAMILY = Pattern.compile("^[a-z]+");

  /** What a file's name states. */
  private record Header(ExecutionMode mode, Precision precision, String stack, String device) {
    static Header of(String name) {
      Matcher parts = NAME.matcher(name);
      if (!parts.matches()) {
        throw InputException.malformed(
            "data-name",
            name
                + ": the name must be benchmark-{infer,train}-{amp,fp16,bf16,fp32}-{nchw,nhwc}-"
                + "ptN-cuN-DEVICE.csv[.gz].");
      }
      Precision precision =
          switch (parts.group(2)) {
            case "amp" -> Precision.AMP;
            case "fp16", "float16" -> Precision.FP16;
            case "bf16", "bfloat16" -> Precision.BF16;
            default -> Precision.FP32;
          };
      ExecutionMode mode =
          parts.group(1).equals("train") ? ExecutionMode.TRAINING : ExecutionMode.INFERENCE;
      return new Header(mode, precision, parts.group(4) + "-" + parts.group(3), parts.group(6));
    }

    String column(String name) {
      return (mode == ExecutionMode.TRAINING ? "train_" : "infer_") + name;
    }
  }

  private record Key(String model, int pixels) {}

  @Override
  public Result read() {
    List<StepTimeRun> runs = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    Map<Key, StepWork.Totals> totals = new HashMap<>();
    List<Path> files = files();
    for (Path file : files) {
      Header header = Header.of(new DataFile(file).name());
      if (header.mode == ExecutionMode.INFERENCE) {
        read(file, header, runs, rejected, totals);
      }
    }
    for (Path file : files) {
      Header header = Header.of(new DataFile(file).name());
      if (header.mode == ExecutionMode.TRAINING) {
        read(file, header, runs, rejected, totals);
      }
    }
    return new Result(FORMAT, runs, rejected);
  }

  private List<Path> files() {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> entries = Files.list(path)) {
      List<Path> files =
          entries.filter(file -> file.toString().matches(".*\\.csv(\\.gz)?")).sorted().toList();
      if (files.isEmpty()) {
        throw InputException.malformed(
            "data-not-found", path + " has no file benchmark-*.csv or benchmark-*.csv.gz.");
      }
      return files;
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED, "data-unreadable", path + " cannot be read.", e);
    }
  }

  @SuppressWarnings("TooManyParameters") // what one pass over a file reads and fills
  private static void read(
      Path file,
      Header header,
      List<StepTimeRun> runs,
      List<String> rejected,
      Map<Key, StepWork.Totals> totals) {
    boolean trains = header.mode == ExecutionMode.TRAINING;
    List<String> columns =
        new ArrayList<>(
            List.of(
                "model",
                header.column("img_size"),
                header.column("samples_per_sec"),
                header.column("batch_size"),
                "param_count"));
    if (!trains) {
      columns.addAll(List.of("infer_gmacs", "infer_macts"));
    }
    new DataFile(file)
        .readTable(
            columns,
            row -> {
              Key key =
                  new Key(
                      row.text("model"),
                      (int) row.number(header.column("img_size"), 1, MAX_PIXELS));
              StepWork.Totals found = trains ? joined(key, row, totals) : totals(key, row);
              totals.putIfAbsent(key, found);
              runs.add(run(row, header, key, found));
            },
            rejected);
  }

  private static StepWork.Totals totals(Key key, DataRow row) {
    return new StepWork.Totals(
        BILLION * row.positive("infer_gmacs"),
        MILLION * row.positive("infer_macts"),
        (double) CHANNELS * key.pixels * key.pixels,
        MILLION * row.positive("param_count"));
  }

  /** Totals of the same model; from a different size scaled by pixels. */
  private static StepWork.Totals joined(Key key, DataRow row, Map<Key, StepWork.Totals> totals) {
    StepWork.Totals same = totals.get(key);
    if (same != null) {
      return same;
    }
    double inputs = (double) CHANNELS * key.pixels * key.pixels;
    return totals.entrySet().stream()
        .filter(entry -> entry.getKey().model.equals(key.model))
        .map(Map.Entry::getValue)
        .min(
            java.util.Comparator.comparingDouble(
                other -> Math.abs(Math.log(other.inputs() / inputs))))
        .map(other -> {
          double scale = inputs / other.inputs();
          return new StepWork.Totals(
              other.macs() * scale,
              other.matrixOutputs() * scale,
              inputs,
              MILLION * row.positive("param_count"));
        })
        .orElseThrow(() ->
            new UnusableRowException(
                "model '" + key.model + "' has no multiply-accumulates: no inference file has it"));
  }

  private static StepTimeRun run(DataRow row, Header header, Key key, StepWork.Totals totals) {
    int batch = row.batch(header.column("batch_size"));
    Matcher family = FAMILY.matcher(key.model);
    return new StepTimeRun(
        row.place(),
        new StepTimeRun.Network(key.model, family.find() ? family.group() : key.model, key.pixels),
        header.stack,
        DevicePart.whole(NamedDevices.require("file name's device", header.device)),
        1,
        RunSettings.of(header.mode, header.precision),
        StepWork.ofTotals(batch, totals),
        batch / row.positive(header.column("samples_per_sec")));
  }
}
