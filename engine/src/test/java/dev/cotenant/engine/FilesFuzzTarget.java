package dev.cotenant.engine;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.domain.testing.FuzzOracle;
import dev.cotenant.engine.cluster.RecordedClusterReader;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.PredictorFiles;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Files of people: predictors and their corrections, forecasts, recorded clusters and devices. The
 * first byte chooses which; see {@link FuzzOracle}.
 */
public final class FilesFuzzTarget {
  private static final String NAME = "upload";
  private static final Path DEVICES = Path.of("target", "fuzz", "devices.csv");

  private FilesFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] file = Arrays.copyOfRange(input, 1, input.length);
    switch (Byte.toUnsignedInt(input[0]) % 4) {
      case 0 ->
          attempt(
              content ->
                  new PredictorFiles(
                          new FakeModelStore().versions(), BaseModel.Reader.STANDARD, () -> "")
                      .describe(content, NAME, ModelVersion.Origin.UPLOADED, Instant.EPOCH),
              file);
      case 1 -> attempt(content -> PeakModelFile.read(content, NAME), file);
      case 2 ->
          attempt(
              content -> new RecordedClusterReader(DeviceCatalogue.builtIn()).read(content, NAME),
              file);
      default -> attempt(FilesFuzzTarget::devices, file);
    }
  }

  /** What is written of devices that were read is read as the same. */
  private static void devices(byte[] content) {
    List<Device> devices = devicesOf(content);
    byte[] written = String.join("\n", DeviceFile.write(devices)).getBytes(StandardCharsets.UTF_8);
    try {
      if (!devicesOf(written).equals(devices)) {
        throw new AssertionError("is read as others: " + devices);
      }
    } catch (InputException e) {
      throw new AssertionError("cannot be read again: " + devices, e);
    }
  }

  private static List<Device> devicesOf(byte[] content) {
    try {
      return new DeviceFile(Files.write(DEVICES, content)).read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void attempt(Consumer<byte[]> reader, byte[] file) {
    FuzzOracle.check(() -> reader.accept(file));
  }
}
