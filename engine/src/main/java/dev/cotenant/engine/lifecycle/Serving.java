package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.lifecycle.ModelVersion.Kind;
import dev.cotenant.engine.lifecycle.ModelVersion.Origin;
import dev.cotenant.predictor.layer.LayeredPredictor;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Answers with the promoted version, from memory. A poller calls {@link #refresh}; versions are
 * swapped atomically, and errors of the store or a file keep the active version.
 */
public final class Serving {
  private final ModelStore store;
  private final PredictorFiles files;
  private final byte[] shippedFile;
  private final BaseModel shipped;
  private final InstantSource clock;
  private volatile Served served;
  private volatile LayeredPredictor predictor;
  private volatile boolean announced;

  /**
   * What answers.
   *
   * @param sha256 of the version's file
   * @param label of the version
   * @param promotion number of the promotion; 0 before the store was reached
   * @param predictor what it answers with
   */
  public record Served(String sha256, String label, long promotion, LayeredPredictor predictor) {}

  /** Serves the shipped model until the store says otherwise; touches no store yet. */
  public Serving(
      ModelStore store, BaseModel.Reader bases, byte[] shippedFile, InstantSource clock) {
    this.store = store;
    this.shippedFile = shippedFile.clone();
    this.clock = clock;
    shipped = bases.read(shippedFile, "the shipped model");
    served =
        new Served(
            Sha256.of(shippedFile), shipped.label(), 0, LayeredPredictor.of(shipped.predictor()));
    predictor = served.predictor.remembering();
    files = new PredictorFiles(store.versions(), bases, () -> served().sha256());
  }

  /** What answers now; another one after a promotion. */
  public LayeredPredictor predictor() {
    return predictor;
  }

  /** A regressor is not called any more after failures: its answers are not remembered. */
  private void serve(Served other, Kind kind) {
    served = other;
    predictor = kind == Kind.REGRESSOR ? other.predictor : other.predictor.remembering();
  }

  /** Which version answers now. */
  public Served served() {
    return served;
  }

  /** The files of versions. */
  public PredictorFiles files() {
    return files;
  }

  /** Result of reading the store. */
  public sealed interface Refreshed {
    /** Nothing new. */
    record Same() implements Refreshed {}

    /** Another version answers from now on. */
    record Swapped(Served served) implements Refreshed {}

    /** The promoted version cannot be loaded; the previous version stays active. */
    record Unusable(String message) implements Refreshed {}
  }

  /**
   * Loads the promoted version from the store if it has changed.
   *
   * @throws StoreException when the store cannot be reached; nothing has changed then
   */
  public synchronized Refreshed refresh() {
    if (!announced) {
      announce();
      announced = true;
    }
    Optional<Promotion> newest = store.versions().promoted();
    if (newest.isEmpty() || newest.get().number() == served.promotion) {
      return new Refreshed.Same();
    }
    Promotion promotion = newest.get();
    if (promotion.version().equals(served.sha256)) {
      served = new Served(served.sha256, served.label, promotion.number(), served.predictor);
      return new Refreshed.Same();
    }
    try {
      ModelVersion version = files.require(promotion.version());
      serve(
          new Served(version.sha256(), version.label(), promotion.number(), files.load(version)),
          version.kind());
      return new Refreshed.Swapped(served);
    } catch (InputException e) {
      serveParentAtStart(promotion);
      return new Refreshed.Unusable(e.getMessage());
    }
  }

  /** At start, an unusable promoted regressor is replaced by its parent. */
  private void serveParentAtStart(Promotion promotion) {
    Optional<ModelVersion> version = store.versions().find(promotion.version());
    if (served.promotion == 0 && version.map(ModelVersion::kind).orElse(null) == Kind.REGRESSOR) {
      try {
        ModelVersion found = version.get();
        serve(
            new Served(
                found.sha256(), found.label(), promotion.number(), files.loadOrParent(found)),
            found.kind());
      } catch (InputException e) {
        return; // nor can its parent: the shipped model answers
      }
    }
  }

  private void announce() {
    ModelVersion version =
        files.describe(shippedFile, "the shipped model", Origin.SHIPPED, clock.instant());
    ShippedVersion.announce(store.versions(), version, shippedFile, clock);
  }
}
