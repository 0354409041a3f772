package dev.cotenant.forecast.prometheus;

import java.io.IOException;

/** Counts the heap that one reading keeps, and fails beyond a limit. */
final class RetainedBytes {
  private final long limit;
  private long left;

  RetainedBytes(long limit) {
    this.limit = limit;
    left = limit;
  }

  /** A quarter of the maximum heap: two readings are in memory at a time. */
  static RetainedBytes ofThisHeap() {
    return new RetainedBytes(Runtime.getRuntime().maxMemory() / 4);
  }

  static final class TooManyException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyException(long limit) {
      super(
          "has more series, labels and samples than fit into "
              + limit
              + " bytes of memory: shorten the window, raise the step or the heap");
    }
  }

  void add(long bytes) throws TooManyException {
    left -= bytes;
    if (left < 0) {
      throw new TooManyException(limit);
    }
  }
}
