package dev.cotenant.engine;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.cluster.RecordedClusterReader;
import dev.cotenant.engine.lifecycle.BaseModel;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.PredictorFiles;
import dev.cotenant.engine.testing.FakeModelStore;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Files that people upload: predictors and their corrections, forecasts, and recorded clusters. The
 * first byte chooses which. Bad input is an InputException; anything else is a finding.
 */
public final class FilesFuzzTarget {
  private static final String NAME = "upload";

  private FilesFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] file = Arrays.copyOfRange(input, 1, input.length);
    switch (Byte.toUnsignedInt(input[0]) % 3) {
      case 0 ->
          attempt(
              content ->
                  new PredictorFiles(
                          new FakeModelStore().versions(), BaseModel.Reader.STANDARD, () -> "")
                      .describe(content, NAME, ModelVersion.Origin.UPLOADED, Instant.EPOCH),
              file);
      case 1 -> attempt(content -> PeakModelFile.read(content, NAME), file);
      default ->
          attempt(
              content -> new RecordedClusterReader(DeviceCatalogue.builtIn()).read(content, NAME),
              file);
    }
  }

  private static void attempt(Consumer<byte[]> reader, byte[] file) {
    try {
      reader.accept(file);
    } catch (InputException expected) {
      if (String.valueOf(expected.getMessage()).isBlank()) {
        throw new AssertionError("no reason", expected);
      }
    }
  }
}
