package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.lifecycle.Promotion.Grounds;
import dev.cotenant.engine.profile.NamespaceRowCap;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Changes which version serves: forward when it proved better or was forced, and back. */
public final class Promotions {
  private static final Duration MAX_JUDGING = Duration.ofSeconds(30);

  private final ModelStore store;
  private final Serving serving;
  private final Supplier<DeviceCatalogue> devices;
  private final InstantSource clock;

  /**
   * @param devices those that rows may name, at present
   */
  public Promotions(
      ModelStore store, Serving serving, Supplier<DeviceCatalogue> devices, InstantSource clock) {
    this.store = store;
    this.serving = serving;
    this.devices = devices;
    this.clock = clock;
  }

  /**
   * Promotes a version that beats the present one on held-out rows, or one that a user forces; this
   * process serves it when the call returns, others at their next look.
   *
   * @param version SHA-256 or label
   * @param by the requester
   * @param override why it is to serve though it did not prove better; empty requires the proof
   * @throws ConflictException ({@code already-promoted}, {@code not-evaluated}, {@code not-better},
   *     {@code evaluation-timeout}, {@code promotion-conflict})
   * @throws InputException ({@code unknown-version}) or when its file cannot be served
   */
  public Promotion promote(String version, String by, Optional<String> override) {
    ModelVersion wanted = serving.files().require(version);
    Optional<Promotion> present = store.versions().promoted();
    if (present.map(p -> p.version().equals(wanted.sha256())).orElse(false)) {
      throw new ConflictException(
          "already-promoted", wanted.label() + " is active already: nothing to do.");
    }
    var candidate = serving.files().load(wanted);
    String reason;
    if (override.isPresent()) {
      reason = PromotionRules.requireText(override.get(), "override_reason");
    } else {
      List<ProfileRow> rows = heldOut();
      DeviceCatalogue listed = devices.get();
      HeldOutScore its = HeldOutScore.of(limited(candidate), rows, listed);
      HeldOutScore ours = HeldOutScore.of(limited(present(present)), rows, listed);
      requireBetter(wanted, its, ours);
      reason = "Held-out rows: " + its + ", against " + ours + ".";
    }
    return record(
        new Promotion.Request(
            wanted.sha256(),
            PromotionRules.requireText(by, "by"),
            override.isPresent() ? Grounds.OVERRIDE : Grounds.BETTER,
            reason),
        present);
  }

  private FeaturePredictor present(Optional<Promotion> present) {
    return present
        .map(promotion -> serving.files().load(serving.files().require(promotion.version())))
        .orElseGet(serving::predictor);
  }

  private FeaturePredictor limited(FeaturePredictor predictor) {
    Instant end = clock.instant().plus(MAX_JUDGING);
    return request -> {
      if (clock.instant().isAfter(end)) {
        throw new ConflictException(
            "evaluation-timeout",
            "Predictions of the held-out rows take longer than "
                + MAX_JUDGING.toSeconds()
                + " s: nothing was promoted; use a smaller model.");
      }
      return predictor.predict(request);
    };
  }

  private List<ProfileRow> heldOut() {
    return NamespaceRowCap.of(store.profiles().all()).stream()
        .filter(StoredProfile::isHeldOut)
        .map(StoredProfile::row)
        .toList();
  }

  private static void requireBetter(ModelVersion wanted, HeldOutScore its, HeldOutScore ours) {
    if (!its.isJudged()) {
      throw new ConflictException(
          "not-evaluated",
          "Only "
              + its.values()
              + " values are held out, too few to decide whether "
              + wanted.label()
              + " is better: POST more rows to /v1/profiles, or give override_reason.");
    }
    if (!its.beats(ours)) {
      throw new ConflictException(
          "not-better",
          wanted.label()
              + " is not better than the active version on held-out rows ("
              + its
              + ", against "
              + ours
              + "): nothing was promoted; give override_reason to promote it.");
    }
  }

  /**
   * Back to what served before the present version was promoted.
   *
   * @throws ConflictException ({@code no-previous-version}) when there was nothing
   */
  public Promotion rollback(String by, String reason) {
    String before = PromotionRules.previous(store.versions().promotions());
    ModelVersion wanted = serving.files().require(before);
    serving.files().load(wanted);
    return record(
        new Promotion.Request(
            wanted.sha256(),
            PromotionRules.requireText(by, "by"),
            Grounds.ROLLBACK,
            PromotionRules.requireText(reason, "reason")),
        store.versions().promoted());
  }

  private Promotion record(Promotion.Request request, Optional<Promotion> present) {
    long after = present.map(Promotion::number).orElse(0L);
    Promotion promotion = store.versions().promote(request, after, clock.instant());
    serving.refresh();
    return promotion;
  }
}
