package dev.cotenant.features;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Writes what the fuzzer starts from: own graphs, and the small models that the machine has. */
final class FuzzCorpus {
  static final int MAX_BYTES = 1 << 16;
  private static final Path CONFORMANCE = Path.of("/usr/share/libonnx-testdata/data");
  private static final byte[] DRAW = ByteBuffer.allocate(8).putInt(7).putInt(3).array();

  private FuzzCorpus() {}

  /** Models as they are, for {@link ReaderFuzzTarget}. */
  static void writeModels(Path folder) throws IOException {
    write(folder, models());
  }

  /** Models with a batch of 7 and extents of 3, for {@link ExtractionFuzzTarget}. */
  static void writeDrawnModels(Path folder) throws IOException {
    write(folder, models().stream().map(FuzzCorpus::drawn).toList());
  }

  /** Random choices, for {@link GeneratedGraphFuzzTarget}. */
  static void writeChoices(Path folder) throws IOException {
    Random random = new Random(11);
    List<byte[]> seeds = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      byte[] choices = new byte[16 + random.nextInt(600)];
      random.nextBytes(choices);
      seeds.add(choices);
    }
    write(folder, seeds);
  }

  private static byte[] drawn(byte[] model) {
    return ByteBuffer.allocate(model.length + DRAW.length).put(model).put(DRAW).array();
  }

  private static void write(Path folder, List<byte[]> seeds) throws IOException {
    Files.createDirectories(folder);
    for (int i = 0; i < seeds.size(); i++) {
      Files.write(folder.resolve("seed-" + i), seeds.get(i));
    }
  }

  private static List<byte[]> models() throws IOException {
    List<byte[]> models = new ArrayList<>(SampleGraphs.all());
    Random random = new Random(13);
    for (int i = 0; i < 100; i++) {
      byte[] choices = new byte[16 + random.nextInt(600)];
      random.nextBytes(choices);
      models.add(new GraphFromBytes(choices).model());
    }
    addSmall(models, CONFORMANCE);
    String outside = System.getProperty("cotenant.test.data", "");
    if (!outside.isEmpty() && !outside.startsWith("${")) {
      addSmall(models, Path.of(outside, "models", "edge"));
    }
    return models;
  }

  private static void addSmall(List<byte[]> models, Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(FuzzCorpus::isSmallModel).sorted().toList()) {
        models.add(Files.readAllBytes(file));
      }
    }
  }

  private static boolean isSmallModel(Path file) {
    try {
      return file.toString().endsWith(".onnx") && Files.size(file) <= MAX_BYTES;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
