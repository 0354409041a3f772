package dev.cotenant.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A sample in a folder of its own, which goes when this is closed. */
record SampleFile(Path file) implements AutoCloseable {
  static SampleFile of(String label) throws IOException {
    return new SampleFile(Sample.of(label).write(Files.createTempDirectory("cotenant-benchmark")));
  }

  @Override
  public void close() throws IOException {
    Files.delete(file);
    Files.delete(file.toAbsolutePath().getParent());
  }
}
