package dev.cotenant.engine.lifecycle;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One version of the predictor: an immutable file with metadata.
 *
 * @param sha256 of the file, its identity; 64 hexadecimal digits
 * @param label what predictions show as {@code model_version}, unique
 * @param kind what the file holds
 * @param origin how it came here
 * @param parent SHA-256 of the version that it corrects or partly replaces; null for independent
 *     versions
 * @param createdAt when it was trained or taken in
 * @param card its model card, Markdown
 * @param provenance where it comes from, one {@code key: value} a line
 * @param metrics figures at its making by name, such as {@code held_out_rmsle}
 */
public record ModelVersion(
    String sha256,
    String label,
    Kind kind,
    Origin origin,
    @Nullable String parent,
    Instant createdAt,
    String card,
    String provenance,
    Map<String, Double> metrics) {

  /** What a version's file holds. */
  public enum Kind {
    /** A model that answers alone. */
    BASE,
    /** What a cluster's own rows add to a base. */
    CORRECTION,
    /** An independent model of the peak of used memory, with separate promotions. */
    FORECAST,
    /** A user's regressor, which answers one target in place of its parent. */
    REGRESSOR
  }

  /** How a version came here. */
  public enum Origin {
    SHIPPED,
    UPLOADED,
    TRAINED
  }

  public ModelVersion {
    if (!sha256.matches("[0-9a-f]{64}")) {
      throw new IllegalArgumentException("sha256 must be 64 hexadecimal digits, is " + sha256);
    }
    if ((kind == Kind.BASE || kind == Kind.FORECAST) != (parent == null)) {
      throw new IllegalArgumentException("every version but a base or a forecast has a parent");
    }
    metrics = Collections.unmodifiableMap(new TreeMap<>(metrics));
  }
}
