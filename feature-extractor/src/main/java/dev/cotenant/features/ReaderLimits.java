package dev.cotenant.features;

/**
 * How much of a file the reader accepts; beyond it the file is refused with {@code InputException}
 * of kind {@code TOO_LARGE}.
 *
 * @param fileBytes bytes of a file on disk, whose weights are skipped; default 1 TiB
 * @param uploadBytes bytes of an upload held in memory; default 256 MiB
 * @param nodes nodes, those of subgraphs and functions included; default 250,000
 * @param entries names, attributes, listed numbers and declarations together, a node counting as
 *     four, a tensor as eight and a graph or function as sixteen; default 4,000,000
 * @param nestingDepth graphs within graphs; default 32
 * @param textBytes bytes of one name; default 65,536
 */
public record ReaderLimits(
    long fileBytes, long uploadBytes, int nodes, int entries, int nestingDepth, int textBytes) {
  /** Generous for every model known, small enough for any heap. */
  public static final ReaderLimits DEFAULT =
      new ReaderLimits(1L << 40, 256L << 20, 250_000, 4_000_000, 32, 1 << 16);

  public ReaderLimits {
    if (fileBytes < 1 || uploadBytes < 1 || nodes < 1 || entries < 1 || textBytes < 1) {
      throw new IllegalArgumentException("limits must be at least 1");
    }
    if (nestingDepth < 1 || nestingDepth > 64) {
      throw new IllegalArgumentException("nestingDepth must be in [1, 64], is " + nestingDepth);
    }
  }
}
