package dev.cotenant.zoo.onnx;

import java.util.ArrayList;
import java.util.List;

/**
 * A named value in a graph under construction.
 *
 * @param name unique in the graph
 * @param dims extents of one sample, without the leading batch
 */
public record Tensor(String name, List<Integer> dims) {
  public Tensor {
    dims = List.copyOf(dims);
  }

  /** The first extent after the batch: the channels of an image. */
  public int channels() {
    return dims.getFirst();
  }

  public int height() {
    return dims.get(1);
  }

  public int width() {
    return dims.get(2);
  }

  /** The last extent: the width of a token's vector. */
  public int features() {
    return dims.getLast();
  }

  /** These extents with the last replaced. */
  public List<Integer> dimsWithFeatures(int features) {
    List<Integer> changed = new ArrayList<>(dims);
    changed.set(changed.size() - 1, features);
    return changed;
  }
}
