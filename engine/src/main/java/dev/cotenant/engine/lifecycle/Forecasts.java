package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.lifecycle.ModelVersion.Kind;
import dev.cotenant.engine.lifecycle.ModelVersion.Origin;
import dev.cotenant.engine.lifecycle.Promotion.Grounds;
import dev.cotenant.forecast.trees.PeakModel;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lists, reads and promotes versions of the forecast of used memory. The promoted version serves,
 * from memory; whatever goes wrong with the store or a file leaves what serves. Thread safe.
 */
public final class Forecasts {
  private static final String SHIPPED = "the shipped forecast";
  private static final Duration MAX_JUDGING = Duration.ofSeconds(30);

  private final VersionStore store;
  private final KnownVersions known;
  private final Use use;
  private final InstantSource clock;
  private volatile Served served;
  private boolean announced;

  /**
   * What serves.
   *
   * @param sha256 of the version's file
   * @param label of the version
   * @param promotion number of the promotion; 0 before the store was reached
   */
  public record Served(String sha256, String label, long promotion) {}

  /**
   * Where forecasts are used.
   *
   * @param serve takes the model that serves from now on
   * @param readings readings of the cluster for comparing versions
   * @param horizon over which peaks are bounded
   */
  public record Use(
      Consumer<PeakModel> serve, Supplier<List<GpuReading>> readings, Duration horizon) {}

  /** The shipped model serves until the store says otherwise; touches no store yet. */
  public Forecasts(VersionStore store, Use use, InstantSource clock) {
    this.store = store;
    this.use = use;
    this.clock = clock;
    known = new KnownVersions(store, clock);
    byte[] shipped = PeakModelFile.shippedBytes();
    served = new Served(Sha256.of(shipped), PeakModelFile.label(shipped), 0);
  }

  /** What serves now. */
  public Served served() {
    return served;
  }

  /** All versions and promotions; those last read where the store is down. */
  public KnownVersions.Listing listing() {
    return known.listing();
  }

  /**
   * Stores a file as a version.
   *
   * @throws InputException ({@code forecast-model-unreadable}) when it cannot be served
   */
  public ModelVersion add(byte[] file, String name) {
    store.add(describe(file, name, Origin.UPLOADED), file);
    return require(Sha256.of(file));
  }

  /** The version with this SHA-256 or label; empty if unknown. */
  public Optional<ModelVersion> find(String sha256OrLabel) {
    return store.find(sha256OrLabel);
  }

  /** Whether it is the promoted version. */
  public boolean isPromoted(ModelVersion version) {
    return store.promoted().map(p -> p.version().equals(version.sha256())).orElse(false);
  }

  private ModelVersion describe(byte[] file, String name, Origin origin) {
    PeakModel model = PeakModelFile.read(file, name);
    PeakModel.Provenance from = model.provenance();
    String label = PeakModelFile.label(file);
    String provenance =
        "data: " + from.data() + "\nseed: " + from.seed() + "\nsettings: " + from.settings() + "\n";
    return new ModelVersion(
        Sha256.of(file),
        label,
        Kind.FORECAST,
        origin,
        null,
        clock.instant(),
        "# " + label + "\n\nBounds of the peak of used memory; docs/forecasts.md has the errors.\n",
        provenance,
        Map.of(
            "coverage", model.coverage().fraction(),
            "series", (double) from.series(),
            "windows", (double) from.windows()));
  }

  /**
   * Promotes a version whose bound is better on the GPUs of this cluster in the time since it was
   * stored, or one that a user forces; this process serves it when the call returns.
   *
   * @param override why it is to serve though it did not prove better; null requires the proof
   * @throws ConflictException ({@code already-promoted}, {@code not-evaluated}, {@code not-better},
   *     {@code evaluation-timeout}, {@code promotion-conflict})
   * @throws InputException ({@code unknown-version}) or when its file cannot be served
   */
  public Promotion promote(String version, String by, @Nullable String override) {
    ModelVersion wanted = require(version);
    Optional<Promotion> present = store.promoted();
    if (present.map(p -> p.version().equals(wanted.sha256())).orElse(false)) {
      throw new ConflictException(
          "already-promoted", wanted.label() + " is active already: nothing to do.");
    }
    PeakModel candidate = load(wanted);
    String reason =
        override == null
            ? proof(wanted, candidate, present)
            : PromotionRules.requireText(override, "override_reason");
    return record(
        new Promotion.Request(
            wanted.sha256(),
            PromotionRules.requireText(by, "by"),
            override == null ? Grounds.BETTER : Grounds.OVERRIDE,
            reason),
        present);
  }

  private String proof(ModelVersion wanted, PeakModel candidate, Optional<Promotion> present) {
    PeakModel ours = present.map(p -> load(require(p.version()))).orElseGet(PeakModelFile::shipped);
    List<GpuReading> readings = use.readings.get();
    ForecastScore its = score(candidate, wanted.createdAt(), readings);
    ForecastScore those = score(ours, wanted.createdAt(), readings);
    if (its.windows() < ForecastScore.MIN_WINDOWS) {
      throw new ConflictException(
          "not-evaluated",
          "Since "
              + wanted.label()
              + " was stored, GPUs were in use for "
              + its.windows()
              + " stretches of "
              + use.horizon.toMinutes()
              + " minutes, "
              + ForecastScore.MIN_WINDOWS
              + " are needed to compare forecasts: try later, or give override_reason.");
    }
    if (!its.beats(those, candidate.coverage().fraction())) {
      throw new ConflictException(
          "not-better",
          wanted.label()
              + " is not better than the active version on this cluster's GPUs ("
              + its
              + ", against "
              + those
              + "): nothing was promoted; give override_reason to promote it.");
    }
    return "GPUs since it was stored: " + its + ", against " + those + ".";
  }

  private ForecastScore score(PeakModel model, Instant after, List<GpuReading> readings) {
    Instant end = clock.instant().plus(MAX_JUDGING);
    Runnable deadline =
        () -> {
          if (clock.instant().isAfter(end)) {
            throw new ConflictException(
                "evaluation-timeout",
                "Forecasts of this cluster's GPUs take longer than "
                    + MAX_JUDGING.toSeconds()
                    + " s: nothing was promoted; give override_reason to promote it.");
          }
        };
    return ForecastScore.of(
        new ForecastScore.Judged(model, use.horizon, after, deadline), readings);
  }

  /**
   * Back to what served before the present version was promoted.
   *
   * @throws ConflictException ({@code no-previous-version}) when there was nothing
   */
  public Promotion rollback(String by, String reason) {
    ModelVersion wanted = require(PromotionRules.previous(store.promotions()));
    load(wanted);
    return record(
        new Promotion.Request(
            wanted.sha256(),
            PromotionRules.requireText(by, "by"),
            Grounds.ROLLBACK,
            PromotionRules.requireText(reason, "reason")),
        store.promoted());
  }

  private Promotion record(Promotion.Request request, Optional<Promotion> present) {
    long after = present.map(Promotion::number).orElse(0L);
    Promotion promotion = store.promote(request, after, clock.instant());
    refresh();
    return promotion;
  }

  /**
   * Loads the promoted version from the store if it has changed.
   *
   * @return the version that serves from now on; empty where nothing changed
   * @throws StoreException when the store cannot be reached; nothing has changed then
   * @throws InputException when the promoted version cannot be served; nothing has changed then
   */
  public synchronized Optional<Served> refresh() {
    if (!announced) {
      byte[] shipped = PeakModelFile.shippedBytes();
      ShippedVersion.announce(store, describe(shipped, SHIPPED, Origin.SHIPPED), shipped, clock);
      announced = true;
    }
    known.refresh();
    Optional<Promotion> newest = store.promoted();
    if (newest.isEmpty() || newest.get().number() == served.promotion) {
      return Optional.empty();
    }
    Promotion promotion = newest.get();
    ModelVersion version = require(promotion.version());
    Served before = served;
    if (!version.sha256().equals(before.sha256)) {
      use.serve.accept(load(version));
    }
    served = new Served(version.sha256(), version.label(), promotion.number());
    return version.sha256().equals(before.sha256) ? Optional.empty() : Optional.of(served);
  }

  private PeakModel load(ModelVersion version) {
    byte[] file =
        store
            .file(version.sha256())
            .orElseThrow(() ->
                InputException.notFound(
                    "missing-model", "The store has no forecast " + version.label() + "."));
    return PeakModelFile.read(file, version.label());
  }

  private ModelVersion require(String sha256OrLabel) {
    return store
        .find(sha256OrLabel)
        .orElseThrow(() ->
            InputException.notFound(
                "unknown-version",
                "There is no forecast '" + sha256OrLabel + "': GET /v1/predictors lists them."));
  }
}
