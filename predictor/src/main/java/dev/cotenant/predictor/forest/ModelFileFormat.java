package dev.cotenant.predictor.forest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32;

/**
 * The model file: {@code COTF}, format version (int), payload length (int), payload, SHA-256 of all
 * that precedes it; from version 3 on, also the CRC-32 of all that precedes that (int). Integers
 * are big-endian; text is UTF-8 behind its length. The payload of version 1 is provenance, context
 * bytes, feature count, for each device of the provenance its feature ranges, then for each target
 * its residual quantiles (familiar, novel), the measured coverage of the novel ones (models,
 * devices; not a number where not measured) and its forest (tree count, node count, split features
 * as bytes, thresholds and leaves as floats, in preorder).
 *
 * <p>Where there is a CRC-32 it tells damage, and the SHA-256 only names the file: a virtual
 * machine that has just started takes longer to compute that than to make the model.
 *
 * <p>A version once released is read for ever; one fixture of each stays among the test resources.
 */
final class ModelFileFormat {
  static final int MAGIC = 'C' << 24 | 'O' << 16 | 'T' << 8 | 'F';

  /** Two random forests. */
  static final int FORESTS = 1;

  /** Prior and corrections; its payload is told by {@code LayeredFile}. */
  static final int LAYERS = 2;

  /** The same with trees as they are asked and instants as numbers. */
  static final int RANKED_LAYERS = 3;

  static final int HEADER_BYTES = 12;
  static final int DIGEST_BYTES = 32;
  static final int CHECKSUM_BYTES = Integer.BYTES;

  /** Far above any forest worth serving; a larger file is refused before it is read. */
  static final int MAX_FILE_BYTES = 64 << 20;

  private ModelFileFormat() {}

  /** Bytes of the checksum behind the digest. */
  static int checksumBytes(int version) {
    return version < RANKED_LAYERS ? 0 : CHECKSUM_BYTES;
  }

  /** CRC-32 of the first bytes of a file. */
  static int checksum(byte[] file, int length) {
    CRC32 checksum = new CRC32();
    checksum.update(file, 0, length);
    return (int) checksum.getValue();
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
