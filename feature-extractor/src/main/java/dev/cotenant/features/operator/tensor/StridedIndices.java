package dev.cotenant.features.operator.tensor;

import java.util.Arrays;

/** Where the elements of a strided part of a small tensor lie, in row-major order. */
final class StridedIndices {
  private StridedIndices() {}

  /**
   * @param extents extents of the part, of few elements in all
   * @param offset index of its first element
   * @param strides distance of neighbours along each axis
   */
  static int[] of(long[] extents, long offset, long[] strides) {
    int count = Arrays.stream(extents).anyMatch(extent -> extent == 0) ? 0 : 1;
    for (int axis = 0; count > 0 && axis < extents.length; axis++) {
      count = Math.toIntExact(count * extents[axis]);
    }
    int[] indices = new int[count];
    for (int i = 0; i < count; i++) {
      long rest = i;
      long index = offset;
      for (int axis = extents.length - 1; axis >= 0; axis--) {
        index += rest % extents[axis] * strides[axis];
        rest /= extents[axis];
      }
      indices[i] = (int) index;
    }
    return indices;
  }

  /** Strides of a whole tensor in row-major order. */
  static long[] rowMajor(long[] extents) {
    long[] strides = new long[extents.length];
    long stride = 1;
    for (int axis = extents.length - 1; axis >= 0; axis--) {
      strides[axis] = stride;
      stride *= extents[axis];
    }
    return strides;
  }
}
