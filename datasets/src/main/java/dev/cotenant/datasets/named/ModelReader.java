package dev.cotenant.datasets.named;

import dev.cotenant.domain.graph.ModelFeatures;

/** Reads the features of a model graph; the feature extractor is one. */
@FunctionalInterface
public interface ModelReader {
  /**
   * Reads a graph for a batch.
   *
   * @param onnx an ONNX file with a symbolic batch
   * @param batch samples, at least 1
   */
  ModelFeatures read(byte[] onnx, int batch);
}
