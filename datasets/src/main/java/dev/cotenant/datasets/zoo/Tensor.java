package dev.cotenant.datasets.zoo;

import java.util.ArrayList;
import java.util.List;

/**
 * A named value in a graph under construction.
 *
 * @param name unique in the graph
 * @param dims extents of one sample, without the leading batch
 */
record Tensor(String name, List<Integer> dims) {
  Tensor {
    dims = List.copyOf(dims);
  }

  /** The first extent after the batch: the channels of an image. */
  int channels() {
    return dims.getFirst();
  }

  int height() {
    return dims.get(1);
  }

  int width() {
    return dims.get(2);
  }

  /** The last extent: the width of a token's vector. */
  int features() {
    return dims.getLast();
  }

  /** These extents with the last replaced. */
  List<Integer> dimsWithFeatures(int features) {
    List<Integer> changed = new ArrayList<>(dims);
    changed.set(changed.size() - 1, features);
    return changed;
  }
}
