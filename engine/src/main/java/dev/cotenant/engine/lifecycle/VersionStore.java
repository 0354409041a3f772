package dev.cotenant.engine.lifecycle;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Port: immutable versions, and which of them serves. Every method may throw StoreException. */
public interface VersionStore {
  /** Most versions, beyond which only shipped ones are taken. */
  int MAX_VERSIONS = 500;

  /**
   * Keeps a version and its file.
   *
   * @return false when this file was there already; nothing has changed then
   * @throws QuotaException ({@code too-many-versions}, {@code store-full})
   */
  boolean add(ModelVersion version, byte[] file);

  /**
   * Returns where a version has room.
   *
   * @param present how many there are
   * @throws QuotaException ({@code too-many-versions})
   */
  static void requireRoom(ModelVersion version, int present) {
    if (present >= MAX_VERSIONS && version.origin() != ModelVersion.Origin.SHIPPED) {
      throw new QuotaException(
          "too-many-versions",
          "Versions are limited to "
              + MAX_VERSIONS
              + ": "
              + version.label()
              + " was not stored; delete versions that were never promoted.");
    }
  }

  /** All, oldest first. */
  List<ModelVersion> all();

  /** The version of this SHA-256 or label. */
  Optional<ModelVersion> find(String sha256OrLabel);

  /** The file of a version; empty where there is no such version. */
  Optional<byte[]> file(String sha256);

  /**
   * Forgets a version that was never promoted and that no other version rests on.
   *
   * @return false where it was promoted, where another rests on it, or where it is unknown; nothing
   *     has changed then
   */
  boolean remove(String sha256);

  /** The newest promotion; empty where nothing was ever promoted. */
  Optional<Promotion> promoted();

  /** All promotions, oldest first. */
  List<Promotion> promotions();

  /**
   * Promotes an existing version.
   *
   * @param after number of the promotion that the caller saw as the newest; 0 for none
   * @throws ConflictException ({@code promotion-conflict}) when another came between
   */
  Promotion promote(Promotion.Request request, long after, Instant at);
}
