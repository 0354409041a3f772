package dev.cotenant.service.overload;

/**
 * Estimates the heap that a JSON or CSV text takes while it is received and read.
 *
 * <p>The estimate is an upper bound for what Jackson makes of the text: a tree of the codec of
 * reviews takes 1 to 43 bytes of heap for a byte of text (measured with {@code {},}, {@code [],},
 * {@code [[[[[]]]]],}, {@code {"a":1},} and others). A factor for the worst text would refuse every
 * large pod, so structure counts apart from length.
 */
final class HeapEstimate {
  /**
   * A growing buffer holds up to twice its content, and the array that the parser reads is a copy.
   */
  static final int COPIES = 3;

  /**
   * Heap of a node of the tree with its place in the parent: 51 bytes for {@code [],}, 94 for a
   * nested array, 93 for {@code {},}, 204 for the three marks of {@code {"a":1},}.
   */
  static final int BYTES_PER_MARK = 96;

  /** 1 for each byte that marks a node, by its unsigned value. */
  private static final byte[] MARKS = new byte[1 << Byte.SIZE];

  static {
    for (char mark : new char[] {',', ':', '{', '['}) {
      MARKS[mark] = 1;
    }
  }

  private HeapEstimate() {}

  /** Heap for a text of this size before parsing. */
  static long received(long bytes) {
    return COPIES * bytes;
  }

  /** Adds a part of a text. */
  static long read(byte[] text, int offset, int length) {
    long marks = 0;
    for (int i = offset; i < offset + length; i++) {
      marks += MARKS[Byte.toUnsignedInt(text[i])];
    }
    return BYTES_PER_MARK * marks;
  }
}
