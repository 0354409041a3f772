package dev.cotenant.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prints how many folders of language models one thread describes in a second of its own. */
class DescriptionRateTest {
  private static final int MODELS = 200;
  private static final int TENSORS = 291;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  @TempDir Path folder;

  @Test
  void printsDescriptionsASecondOfProcessorTime() throws IOException, InterruptedException {
    byte[] header = header();
    for (int i = 0; i < MODELS; i++) {
      Path model = Files.createDirectories(folder.resolve("org/m" + i));
      Files.writeString(model.resolve("config.json"), LlamaRuns.CONFIG);
      Files.write(model.resolve("model.safetensors"), header);
    }
    FolderDescriptions folders =
        new FolderDescriptions(
            new FolderDescriptions.Folders(folder, Map.of()),
            new FolderDescriptions.Bounds(1_000, 1_000, 16 << 20),
            InstantSource.system());
    for (int i = 0; i < MODELS; i++) {
      folders.find("team-a", "org/m" + i);
    }
    long begun = THREADS.getCurrentThreadCpuTime();
    int described = 0;
    while (folders.readNext(Duration.ofMillis(1))) {
      described++;
    }
    double seconds = (THREADS.getCurrentThreadCpuTime() - begun) / 1e9;
    System.out.printf(
        "%d descriptions, %.0f a second of processor time%n", described, described / seconds);

    assertThat(described).isEqualTo(MODELS);
    assertThat(folders.find("team-a", "org/m7")).isInstanceOf(Described.Known.class);
  }

  /** Of tensors without elements, as many as an 8B model has. */
  private static byte[] header() {
    StringJoiner tensors = new StringJoiner(",", "{", "}");
    for (int i = 0; i < TENSORS; i++) {
      tensors.add(
          "\"model.layers.%d.weight\":{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[0,0]}"
              .formatted(i));
    }
    byte[] json = tensors.toString().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + json.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(json.length)
        .put(json)
        .array();
  }
}
