package dev.cotenant.benchmarks;

import dev.cotenant.zoo.ModelZoo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What is read and measured. Exported graphs come from the directory that {@code
 * COTENANT_TEST_DATA} names; without it, those that the zoo can write take their place.
 */
enum Sample {
  RESNET_50("resnet50", "resnet50.b1", "resnet50", 1),
  BERT_BASE("bert-base", "bert_base_128.b1", "bert_base", 3),
  SWIN_T("swin-t", "swin_t.b1", null, 10),
  CHAIN_1K("chain-1000", 1_000, Double.NaN),
  CHAIN_10K("chain-10000", 10_000, Double.NaN),
  CHAIN_100K("chain-100000", 100_000, 150),
  RESNET_50_WEIGHTS("resnet50-weights", RESNET_50, 10),
  BERT_BASE_WEIGHTS("bert-base-weights", BERT_BASE, 10),
  SWIN_T_WEIGHTS("swin-t-weights", SWIN_T, 10);

  private static final @Nullable String DATA = System.getenv("COTENANT_TEST_DATA");

  private final String label;
  private final @Nullable String exported;
  private final @Nullable String zooName;
  private final int chained;
  private final @Nullable Sample filled;
  private final double goalMilliseconds;

  Sample(String label, String exported, @Nullable String zooName, double goalMilliseconds) {
    this.label = label;
    this.exported = exported;
    this.zooName = zooName;
    this.chained = 0;
    this.filled = null;
    this.goalMilliseconds = goalMilliseconds;
  }

  Sample(String label, int chained, double goalMilliseconds) {
    this.label = label;
    this.exported = null;
    this.zooName = null;
    this.chained = chained;
    this.filled = null;
    this.goalMilliseconds = goalMilliseconds;
  }

  Sample(String label, Sample filled, double goalMilliseconds) {
    this.label = label;
    this.exported = null;
    this.zooName = null;
    this.chained = 0;
    this.filled = filled;
    this.goalMilliseconds = goalMilliseconds;
  }

  static Sample of(String label) {
    return Arrays.stream(values())
        .filter(sample -> sample.label.equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no sample is called " + label));
  }

  /** Labels of the available samples. */
  static String[] available() {
    return Arrays.stream(values())
        .filter(Sample::isAvailable)
        .map(Sample::label)
        .toArray(String[]::new);
  }

  /** Labels of those that hold weights, which ONNX Runtime needs. */
  static String[] availableWithWeights() {
    return Arrays.stream(values())
        .filter(sample -> sample.filled != null && sample.isAvailable())
        .map(Sample::label)
        .toArray(String[]::new);
  }

  String label() {
    return label;
  }

  /** What reading and measuring it may take; empty where nothing was promised. */
  OptionalDouble goalMilliseconds() {
    return Double.isNaN(goalMilliseconds)
        ? OptionalDouble.empty()
        : OptionalDouble.of(goalMilliseconds);
  }

  /** Nodes of a chain; 0 for any other model. */
  int chainedNodes() {
    return chained;
  }

  private boolean isAvailable() {
    return filled != null
        ? filled.isAvailable()
        : chained > 0 || zooName != null || exportedFile() != null;
  }

  private @Nullable Path exportedFile() {
    if (DATA == null || DATA.isBlank() || exported == null) {
      return null;
    }
    Path file = Path.of(DATA, "models", "torchvision", exported + ".onnx");
    return Files.isRegularFile(file) ? file : null;
  }

  /** Writes the model into a folder. */
  Path write(Path folder) throws IOException {
    Path file = folder.resolve(label + ".onnx");
    if (filled != null) {
      FilledWeights.write(filled.content(), file);
    } else {
      Files.write(file, content());
    }
    return file;
  }

  private byte[] content() throws IOException {
    if (chained > 0) {
      return Chain.ofNodes(chained);
    }
    Path file = exportedFile();
    if (file != null) {
      return Files.readAllBytes(file);
    }
    if (zooName == null) {
      throw new IllegalStateException(label + " needs COTENANT_TEST_DATA");
    }
    return ModelZoo.build(zooName);
  }
}
