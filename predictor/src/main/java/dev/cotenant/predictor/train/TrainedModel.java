package dev.cotenant.predictor.train;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** What training made: a model file, not yet written. */
public final class TrainedModel {
  private final byte[] bytes;

  public TrainedModel(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The bytes of the model file. */
  public byte[] toBytes() {
    return bytes.clone();
  }

  /**
   * Writes the model file; an existing one is replaced whole or not at all.
   *
   * @throws UncheckedIOException if writing fails; an existing file is unchanged
   */
  public void writeTo(Path file) {
    Path partial = file.resolveSibling(file.getFileName() + ".part");
    try {
      Files.write(partial, bytes);
      Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
