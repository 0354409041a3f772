package dev.cotenant.lab.pairs;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.engine.lifecycle.HeldOutScore;
import dev.cotenant.engine.profile.ProfileFields;
import dev.cotenant.engine.profile.ProfileStore;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.predictor.cache.MeasuredRun;
import dev.cotenant.predictor.cache.MeasuredRunCache;
import dev.cotenant.predictor.cache.MeasuredRunLayer;
import dev.cotenant.predictor.correct.Correction;
import dev.cotenant.predictor.correct.CorrectionLayer;
import dev.cotenant.predictor.correct.CorrectionTrainer;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Predictions in a cluster with its own measured runs: the shipped predictor, corrected as in its
 * life cycle, and measurements for repeated configurations. One run in four is held out from
 * learning; if the correction is not better on these, it is not promoted and the shipped predictor
 * stays.
 */
final class LifeCycle {
  /** Stored nowhere, so that no file is named. */
  private static final Correction.Base BASE = new Correction.Base("0".repeat(64), "shipped");

  private final FeaturePredictor shipped;
  private final DeviceCatalogue devices;

  LifeCycle(FeaturePredictor shipped, DeviceCatalogue devices) {
    this.shipped = shipped;
    this.devices = devices;
  }

  /** After these runs, each alone on a GPU. */
  FeaturePredictor after(List<ProfileRow> runs) {
    return remembering(corrected(runs), runs);
  }

  /** A predictor that recalls these runs; for all other configurations the model answers. */
  static FeaturePredictor remembering(FeaturePredictor model, List<ProfileRow> runs) {
    MeasuredRunCache memory =
        MeasuredRunCache.of(
            runs.stream().map(run -> new MeasuredRun(run, Instant.EPOCH)).toList(), Instant.EPOCH);
    return LayeredPredictor.of(model, new MeasuredRunLayer(() -> memory));
  }

  private FeaturePredictor corrected(List<ProfileRow> runs) {
    List<ProfileRow> learned = new ArrayList<>();
    List<ProfileRow> heldOut = new ArrayList<>();
    for (ProfileRow run : runs) {
      (isHeldOut(run) ? heldOut : learned).add(run);
    }
    if (learned.size() < CorrectionTrainer.MIN_RUNS) {
      return shipped;
    }
    Correction correction =
        new CorrectionTrainer(devices, (_, _, _) -> {}).train(shipped, BASE, learned).correction();
    FeaturePredictor corrected =
        LayeredPredictor.of(shipped, new CorrectionLayer(BASE.sha256(), correction, "corrected"));
    boolean better =
        HeldOutScore.of(corrected, heldOut, devices)
            .beats(HeldOutScore.of(shipped, heldOut, devices));
    return better ? corrected : shipped;
  }

  private static boolean isHeldOut(ProfileRow run) {
    String hash = ProfileFields.contentHash(run);
    return new StoredProfile(0, hash, run, Instant.EPOCH, ProfileStore.SHARED).isHeldOut();
  }
}
