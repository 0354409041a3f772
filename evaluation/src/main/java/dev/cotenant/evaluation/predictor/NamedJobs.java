package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.predictor.correct.CorrectedTarget;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import dev.cotenant.predictor.correct.Correction;
import dev.cotenant.predictor.correct.CorrectionLayer;
import dev.cotenant.predictor.correct.CorrectionTrainer;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.TrainingProgress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Peak memory of jobs with names, those of GPUMemNet being random networks: each is predicted by
 * what never saw a job of its family, anywhere, nor any run of its host ({@code named-out}); and
 * once more after five runs of that host, of other families, as a cluster knows after its first
 * hour ({@code named-out-5known}). Those five are learned from as the service learns from a
 * cluster's own runs.
 */
final class NamedJobs {
  private static final String OUT = "named-out";
  private static final String KNOWN = "named-out-5known";
  private static final int KNOWN_RUNS = 5;
  private static final int DRAWS = 20;

  /** Fewer rows are not learned from. */
  private static final int MIN_TRAINING = 20;

  private static final Correction.Base BASE = new Correction.Base("0".repeat(64), "hybrid");

  private final DeviceCatalogue catalogue;
  private final double coverage;
  private final HybridFit.Way way;

  /**
   * @param coverage the share of cases that each bound is to hold
   */
  NamedJobs(DeviceCatalogue catalogue, double coverage, long seed) {
    this.catalogue = catalogue;
    this.coverage = coverage;
    way = new HybridFit.Way(Target.PEAK_MEMORY, catalogue, seed);
  }

  /**
   * Jobs of one family on one host.
   *
   * @param others runs of other families on that host
   */
  private record Group(List<ProfileRow> jobs, List<ProfileRow> others, HybridFit fit) {}

  /** One job with its measured, predicted and bounded value. */
  private record Judged(RowScore score, double upper, double constantUpper) {}

  /**
   * The figures of clean rows that measure peak memory.
   *
   * @param suffix of the protocols' names
   */
  List<EvaluationRow> evaluate(List<ProfileRow> rows, String suffix) {
    List<Group> groups = groups(rows);
    if (groups.isEmpty()) {
      return List.of();
    }
    Figures figures =
        new Figures(Target.PEAK_MEMORY.task(), Gpumemnet.references(Gpumemnet.among(rows)));
    Figures.Sheet unknown = figures.under(OUT + suffix);
    Figures.Sheet known = figures.under(KNOWN + suffix);
    add(unknown, judged(groups, group -> new FittedMemory(group.fit())));
    for (int draw = 0; draw < DRAWS; draw++) {
      long seed = way.seed() + draw;
      List<Group> enough =
          groups.stream().filter(group -> group.others().size() >= KNOWN_RUNS).toList();
      if (!enough.isEmpty()) {
        add(known, judged(enough, group -> corrected(group, seed)));
      }
    }
    return figures.rows();
  }

  /**
   * A job with its bound, as logarithms of MiB.
   *
   * @param mean what was expected
   */
  record Bounded(ProfileRow row, double measured, double mean, double upper) {}

  /** Jobs whose family and host are unknown, with bounds at each of these levels. */
  SequencedMap<Double, List<Bounded>> unknown(List<ProfileRow> rows, List<Double> levels) {
    List<Group> groups = groups(rows);
    SequencedMap<Double, List<Bounded>> byLevel = new LinkedHashMap<>();
    levels.forEach(level -> byLevel.put(level, unknown(groups, level)));
    return byLevel;
  }

  private List<Bounded> unknown(List<Group> groups, double level) {
    Coverage required = Coverage.of(level);
    return judged(
            groups, group -> request -> new FittedMemory(group.fit()).predict(request.at(required)))
        .stream()
        .map(job ->
            new Bounded(
                job.score().row(), job.score().actual(), job.score().predicted(), job.upper()))
        .toList();
  }

  private List<Group> groups(List<ProfileRow> rows) {
    List<ProfileRow> named = rows.stream().filter(row -> !Gpumemnet.contains(row)).toList();
    SequencedMap<String, List<ProfileRow>> groups = new TreeMap<>();
    named.stream()
        .filter(ProfileRow::judgesMemory)
        .forEach(row ->
            groups
                .computeIfAbsent(Folds.origin(row) + "/" + row.family(), _ -> new ArrayList<>())
                .add(row));
    Map<List<ProfileRow>, HybridFit> fits = new HashMap<>();
    List<Group> all = new ArrayList<>();
    for (List<ProfileRow> jobs : groups.values()) {
      ProfileRow one = jobs.getFirst();
      List<ProfileRow> train =
          rows.stream()
              .filter(row -> !isOfHost(row, one) && !row.family().equals(one.family()))
              .toList();
      if (train.size() >= MIN_TRAINING) {
        List<ProfileRow> others =
            named.stream()
                .filter(row -> isOfHost(row, one) && !row.family().equals(one.family()))
                .toList();
        HybridFit fit =
            fits.computeIfAbsent(train, some -> HybridFit.calibrated(some, coverage, way));
        all.add(new Group(jobs, others, fit));
      }
    }
    return all;
  }

  private static boolean isOfHost(ProfileRow row, ProfileRow other) {
    return Folds.origin(row).equals(Folds.origin(other));
  }

  private FeaturePredictor corrected(Group group, long seed) {
    List<ProfileRow> shuffled = new ArrayList<>(group.others());
    Collections.shuffle(shuffled, new Random(seed));
    FeaturePredictor base = new FittedMemory(group.fit());
    Correction correction =
        new CorrectionTrainer(catalogue, TrainingProgress.SILENT)
            .train(base, BASE, shuffled.subList(0, KNOWN_RUNS))
            .correction();
    return LayeredPredictor.of(base, new CorrectionLayer(BASE.sha256(), correction, "corrected"));
  }

  private List<Judged> judged(List<Group> groups, Function<Group, FeaturePredictor> predictor) {
    return groups.parallelStream()
        .flatMap(group -> {
          FeaturePredictor grouped = predictor.apply(group);
          double constant = group.fit().constantOffsets().upper();
          return group.jobs().stream().map(job -> judge(job, grouped, constant));
        })
        .toList();
  }

  private Judged judge(ProfileRow job, FeaturePredictor predictor, double constant) {
    Prediction prediction =
        predictor.predict(job.features(), job.settings(), catalogue.require(job.device().value()));
    LogBounds bounds = CorrectedTarget.PEAK_MEMORY.predicted(prediction);
    double unit =
        CorrectedTarget.PEAK_MEMORY.measured(job).orElseThrow()
            - Target.PEAK_MEMORY.plainLogOf(job);
    double mean = bounds.mean() - unit;
    return new Judged(
        RowScore.of(job, Target.PEAK_MEMORY, mean), bounds.upper() - unit, mean + constant);
  }

  private void add(Figures.Sheet figures, List<Judged> judged) {
    add(figures, judged, "");
    Map<String, List<Judged>> origins =
        judged.stream()
            .collect(
                Collectors.groupingBy(
                    job -> Folds.origin(job.score().row()), TreeMap::new, Collectors.toList()));
    if (origins.size() > 1) {
      origins.forEach((origin, some) -> add(figures, some, "/" + origin));
    }
  }

  private void add(Figures.Sheet figures, List<Judged> judged, String suffix) {
    String ours = Competitor.HYBRID.label();
    Scores scores = RowScore.all(judged.stream().map(Judged::score).toList());
    int rows = judged.size();
    figures.add(ours, "rmsle" + suffix, LogErrors.rmsle(scores), rows);
    figures.add(ours, "median_ape" + suffix, LogErrors.medianRelativeError(scores), rows);
    double held = judged.stream().filter(job -> job.score().actual() <= job.upper()).count();
    figures.add(ours, "bound_coverage" + suffix, held / rows, rows);
    figures.add(ours, "bound_pinball" + suffix, loss(judged, Judged::upper), rows);
    figures.add(ours, "constant_bound_pinball" + suffix, loss(judged, Judged::constantUpper), rows);
  }

  private double loss(List<Judged> judged, Function<Judged, Double> bound) {
    return judged.stream()
        .mapToDouble(job -> Scores.pinball(job.score().actual(), bound.apply(job), coverage))
        .average()
        .orElseThrow();
  }
}
