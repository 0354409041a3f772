package dev.cotenant.evaluation.interference;

import dev.cotenant.domain.colocation.PairLatency;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.evaluation.pairs.PairCalibration;
import dev.cotenant.evaluation.pairs.PairSituation;
import dev.cotenant.interference.Answer;
import dev.cotenant.interference.Colocation;
import dev.cotenant.interference.Interval;
import dev.cotenant.interference.PartitionModel;
import dev.cotenant.interference.WorkloadProfileSource;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.learning.quantile.SortedSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How wrong latencies of pairs are, without, with few and with many measured pairs. */
final class PairEvaluation {
  private static final double TRAIN_SHARE = 0.7;

  private final Profiles profiles;
  private final DeviceProfile device;
  private final PartitionModel model;
  private final List<Case> cases;

  PairEvaluation(Profiles profiles, DeviceProfile device, List<PairLatency> pairs) {
    this.profiles = profiles;
    this.device = device;
    model = new PartitionModel(profiles.book());
    cases = pairs.stream().flatMap(pair -> caseOf(pair).stream()).toList();
  }

  /** One row with everything that predictions need; both workloads were profiled. */
  private record Case(
      PairLatency pair, PairSituation.Side own, PairSituation.Side other, PairSituation situation) {
    double soloMillis() {
      return own.solo().surface().millis(own.batch(), own.sharePercent());
    }

    PairCalibration.Example example() {
      return new PairCalibration.Example(
          situation, Math.log(pair.colocatedMillis() / soloMillis()), Math.log(pair.slowdown()));
    }
  }

  private Optional<Case> caseOf(PairLatency pair) {
    return side(pair.own())
        .flatMap(own ->
            side(pair.other())
                .flatMap(other ->
                    PairSituation.of(device, own, other)
                        .map(situation -> new Case(pair, own, other, situation))));
  }

  private Optional<PairSituation.Side> side(PairLatency.Side side) {
    Optional<WorkloadProfile> profile = profiles.profile(side.model());
    Optional<MeasuredSolo> solo = profiles.solo(side.model());
    return profile.isEmpty() || solo.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PairSituation.Side(profile.get(), solo.get(), side.batch(), side.sharePercent()));
  }

  /** Rows both of whose models were profiled. */
  int size() {
    return cases.size();
  }

  /** Without any measured pair. */
  void addWithoutPairs(Figures figures, String protocol) {
    Scores nothing = new Scores();
    Scores published = new Scores();
    Scores ours = new Scores();
    Scores bounds = new Scores();
    for (Case one : cases) {
      double actual = one.pair().colocatedMillis();
      nothing.add(actual, one.pair().soloMillis());
      effect(one, Known.COEFFICIENTS).ifPresent(e -> published.add(actual, latency(e)));
      effect(one, Known.SURFACE)
          .ifPresent(e -> {
            ours.add(actual, latency(e));
            bounds.add(one.pair().slowdown(), e.slowdown().upper());
          });
    }
    figures.addMape(protocol, "no-interference", nothing);
    figures.addMape(protocol, "igniter-published", published);
    figures.addQuantiles(protocol, "igniter-published", published);
    figures.addMape(protocol, "partition-model", ours);
    figures.addQuantiles(protocol, "partition-model", ours);
    figures.addBound(protocol, "partition-model", bounds);
    figures.addPinball(protocol, "constant-quantile-of-test", constant(cases, cases));
  }

  /** iGniter with the coefficients of these profiles, as published otherwise. */
  void addIgniter(Figures figures, String protocol, String name) {
    Scores scores = new Scores();
    for (Case one : cases) {
      effect(one, Known.COEFFICIENTS)
          .ifPresent(e -> scores.add(one.pair().colocatedMillis(), latency(e)));
    }
    figures.addMape(protocol, name, scores);
  }

  /** One bound for every pair. */
  void addConstantBound(Figures figures, String protocol, String name, double bound) {
    Scores bounds = new Scores();
    cases.forEach(one -> bounds.add(one.pair().slowdown(), bound));
    figures.addBound(protocol, name, bounds);
  }

  private static double latency(Answer.Effect effect) {
    Interval latency = effect.latencyMillis();
    return latency == null ? Double.NaN : latency.mean();
  }

  private enum Known {
    COEFFICIENTS,
    SURFACE
  }

  private Optional<Answer.Effect> effect(Case one, Known known) {
    Colocation both =
        new Colocation(
            device.device(), List.of(member(one.own(), known), member(one.other(), known)));
    return model.answer(both) instanceof Answer.Estimated estimated
        ? Optional.of(estimated.effects().getFirst())
        : Optional.empty();
  }

  private static Colocation.Member member(PairSituation.Side side, Known known) {
    MeasuredSolo solo = known == Known.SURFACE ? side.solo() : null;
    return new Colocation.Member(
        side.profile().name(),
        side.batch(),
        Share.nearestToPercent(side.sharePercent()),
        new WorkloadProfileSource.Profiled(side.profile(), solo));
  }

  /** Calibrated on {@code pairs} pairs drawn evenly from every two models, tested on the rest. */
  void addCalibrated(Figures figures, int pairs, int seeds) {
    String protocol = "calibrated-" + pairs;
    for (int seed = 0; seed < seeds; seed++) {
      score(figures, protocol, Split.stratified(cases, c -> c.pair(), pairs, seed));
    }
  }

  /** Tested on one model's pairs, learned from all others and {@code ownPairs} of its own. */
  void addModelOut(Figures figures, int ownPairs, int seeds) {
    String protocol = ownPairs == 0 ? "model-out" : "model-out-" + ownPairs + "pairs";
    for (int seed = 0; seed < seeds; seed++) {
      List<Split<Case>> splits = Split.modelOut(cases, c -> c.pair(), ownPairs, seed);
      score(figures, protocol, splits);
    }
  }

  /**
   * Tested on the pairs in which either side runs at one batch, calibrated on {@code pairs} pairs
   * of the other batches, and on all of them.
   */
  void addBatchOut(Figures figures, int pairs, int seeds) {
    String protocol = "batch-out-calibrated-" + pairs;
    for (int seed = 0; seed < seeds; seed++) {
      score(figures, protocol, Split.batchOut(cases, c -> c.pair(), pairs, seed));
    }
    score(figures, "batch-out", Split.batchOut(cases, c -> c.pair(), cases.size(), 0));
  }

  private void score(Figures figures, String protocol, Split<Case> split) {
    score(figures, protocol, List.of(split));
  }

  private void score(Figures figures, String protocol, List<Split<Case>> splits) {
    Scores scores = new Scores();
    Scores bounds = new Scores();
    Scores constants = new Scores();
    for (Split<Case> split : splits) {
      PairCalibration calibration =
          PairCalibration.fit(split.train().stream().map(Case::example).toList()).orElse(null);
      if (calibration != null) {
        for (Case one : split.test()) {
          PairCalibration.Estimate estimate = calibration.estimate(one.situation());
          scores.add(
              one.pair().colocatedMillis(), one.soloMillis() * Math.exp(estimate.logSlowdown()));
          bounds.add(one.pair().slowdown(), Math.exp(estimate.upperLogSlowdown()));
        }
        constants.addAll(constant(split.train(), split.test()));
      }
    }
    figures.addMape(protocol, "calibrated", scores);
    figures.addBound(protocol, "calibrated", bounds);
    figures.addPinball(protocol, "constant-quantile", constants);
  }

  private static Scores constant(List<Case> train, List<Case> test) {
    double[] slowdowns = train.stream().mapToDouble(c -> c.pair().slowdown()).toArray();
    Scores scores = new Scores();
    if (slowdowns.length > 0) {
      double bound = new SortedSample(slowdowns).at(Interval.COVERAGE);
      test.forEach(c -> scores.add(c.pair().slowdown(), bound));
    }
    return scores;
  }

  /** gpu-lets' linear factor, refit on 70 % of the rows. */
  void addLinear(Figures figures, int seeds) {
    List<UtilizationFactor.Case> usable = new ArrayList<>();
    for (Case one : cases) {
      usage(one.own())
          .ifPresent(own ->
              usage(one.other())
                  .ifPresent(other ->
                      usable.add(new UtilizationFactor.Case(own, other, one.pair().slowdown()))));
    }
    for (int seed = 0; seed < seeds; seed++) {
      Split<UtilizationFactor.Case> split = Split.random(usable, TRAIN_SHARE, seed);
      Scores scores = new Scores();
      UtilizationFactor.fit(split.train())
          .ifPresent(factor ->
              split.test().forEach(c -> scores.add(c.slowdown(), factor.of(c.own(), c.other()))));
      figures.addMape("random-70-30", "gpu-lets", scores);
      figures.addQuantiles("random-70-30", "gpu-lets", scores);
    }
  }

  /** As measured in the same partition, else from the line over throughput. */
  private Optional<UtilizationFactor.Usage> usage(PairSituation.Side side) {
    Optional<UtilizationFactor.Usage> measured =
        profiles.measured(side.profile().name(), side.batch(), side.sharePercent());
    return measured.isPresent() ? measured : side.solo().usage(side.batch(), side.sharePercent());
  }

  /** What was learned from every pair here, tested on other pairs. */
  void addGiven(Figures figures, PairEvaluation test) {
    test.score(figures, "given-test", new Split<>(cases, test.cases));
  }
}
