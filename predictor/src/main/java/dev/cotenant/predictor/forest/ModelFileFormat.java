package dev.cotenant.predictor.forest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The model file: {@code COTF}, format version (int), payload length (int), payload, SHA-256 of all
 * that precedes it. Integers are big-endian; text is UTF-8 behind its length. The payload of
 * version 1 is provenance, context bytes, feature count, for each device of the provenance its
 * feature ranges, then for each target its residual quantiles (familiar, novel), the measured
 * coverage of the novel ones (models, devices; not a number where not measured) and its forest
 * (tree count, node count, split features as bytes, thresholds and leaves as floats, in preorder).
 *
 * <p>A version once released is read for ever; one fixture of each stays among the test resources.
 */
final class ModelFileFormat {
  static final int MAGIC = 'C' << 24 | 'O' << 16 | 'T' << 8 | 'F';

  /** Two random forests. */
  static final int FORESTS = 1;

  /** Prior and corrections; its payload is told by {@code LayeredFile}. */
  static final int LAYERS = 2;

  static final int HEADER_BYTES = 12;
  static final int DIGEST_BYTES = 32;

  /** Far above any forest worth serving; a larger file is refused before it is read. */
  static final int MAX_FILE_BYTES = 64 << 20;

  private ModelFileFormat() {}

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
