package dev.cotenant.evaluation.interference;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.evaluation.training.JobPairModel;
import dev.cotenant.evaluation.training.TrainingPairModel;
import dev.cotenant.interference.Answer;
import dev.cotenant.interference.Colocation;
import dev.cotenant.interference.Interval;
import dev.cotenant.interference.SummedUtilizationCurve;
import dev.cotenant.interference.TrainingColocationModel;
import dev.cotenant.interference.WorkloadProfileSource;
import dev.cotenant.interference.training.ProductFormula;
import dev.cotenant.learning.quantile.SortedSample;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** How wrong normalised speeds of training jobs are. */
final class TrainingEvaluation {
  private static final TrainingColocationModel SHIPPED = new TrainingColocationModel();
  private static final int FOLDS = 5;

  /** Deviations of the model of names are chosen without a tenth of the pairs at a time. */
  private static final int BLOCKS = 10;

  private static final double MIN_SPEED = 0.05;
  private static final double[] BINS = {50, 80, 100, 130, 160};

  private final List<TrainingPair> rows;

  TrainingEvaluation(List<TrainingPair> rows) {
    this.rows = rows.stream().filter(TrainingPairModel::isMeasured).toList();
  }

  /** Each model out in turn, on either side. */
  void addModelOut(Figures figures) {
    Tally any = new Tally("lucid-model-out");
    Tally own = new Tally("lucid-model-out-own");
    SortedSet<String> models = new TreeSet<>();
    rows.forEach(row -> models.add(row.own().model()));
    for (String model : models) {
      Predicate<TrainingPair> isOut =
          row -> row.own().model().equals(model) || row.other().model().equals(model);
      Split<TrainingPair> split = Split.by(rows, isOut.negate());
      any.add(split, split.test());
      own.add(split, split.test().stream().filter(r -> r.own().model().equals(model)).toList());
    }
    any.addTo(figures);
    own.addTo(figures);
  }

  /** Random pairs out, both jobs of a pair together. */
  void addRandom(Figures figures, int seeds) {
    for (int seed = 0; seed < seeds; seed++) {
      Tally tally = new Tally("lucid-random-5fold");
      for (Split<TrainingPair> split : folds(rows, seed)) {
        tally.add(split, split.test());
      }
      tally.addTo(figures);
    }
  }

  private static List<Split<TrainingPair>> folds(List<TrainingPair> rows, long seed) {
    List<String> sources =
        new ArrayList<>(new TreeSet<>(rows.stream().map(TrainingPair::source).toList()));
    Collections.shuffle(sources, new Random(seed));
    Map<String, Integer> foldOf = new HashMap<>();
    for (int i = 0; i < sources.size(); i++) {
      foldOf.put(sources.get(i), i % FOLDS);
    }
    List<Split<TrainingPair>> splits = new ArrayList<>();
    for (int fold = 0; fold < FOLDS; fold++) {
      int out = fold;
      splits.add(Split.by(rows, row -> foldOf.getOrDefault(row.source(), 0) != out));
    }
    return splits;
  }

  /** The model that ships, which learned from none of these rows: each job, and the slower ones. */
  void addShipped(Figures figures) {
    Map<String, TrainingPair> slower = new TreeMap<>();
    for (TrainingPair row : rows) {
      slower.merge(
          row.pair(),
          row,
          (one, other) -> one.normalisedSpeed() <= other.normalisedSpeed() ? one : other);
    }
    addShipped(figures, "lucid-judges", rows);
    addShipped(figures, "lucid-judges-slower", slower.values());
  }

  private static void addShipped(
      Figures figures, String protocol, Collection<TrainingPair> judges) {
    Scores speeds = new Scores();
    Scores bounds = new Scores();
    for (TrainingPair row : judges) {
      published(row)
          .ifPresent(slowdown -> {
            speeds.add(row.normalisedSpeed(), 1 / slowdown.mean());
            bounds.add(slowdown(row), slowdown.upper());
          });
    }
    figures.addMae(protocol, "shipped-curve", speeds);
    figures.addBound(protocol, "shipped-curve", bounds);
  }

  /** What was learned from these rows, tested on others. */
  void addGiven(Figures figures, List<TrainingPair> test) {
    Tally tally = new Tally("given-test");
    List<TrainingPair> usable = test.stream().filter(TrainingPairModel::isMeasured).toList();
    tally.add(new Split<>(rows, usable), usable);
    tally.addTo(figures);
  }

  /** The scores of every model under one protocol. */
  private static final class Tally {
    private final String protocol;
    private final Scores constant = new Scores();
    private final Scores summed = new Scores();
    private final Scores curve = new Scores();
    private final Scores formula = new Scores();
    private final Scores ours = new Scores();
    private final Scores bounds = new Scores();
    private final Scores quantile = new Scores();

    Tally(String protocol) {
      this.protocol = protocol;
    }

    void add(Split<TrainingPair> split, List<TrainingPair> test) {
      TrainingPairModel model = TrainingPairModel.fit(split.train()).orElse(null);
      if (model == null || test.isEmpty()) {
        return;
      }
      double mean = mean(split.train());
      ToDoubleFunction<TrainingPair> bins = bins(split.train());
      double[] slowdowns =
          split.train().stream().mapToDouble(TrainingEvaluation::slowdown).toArray();
      double bound = new SortedSample(slowdowns).at(Interval.COVERAGE);
      ProductFormula learned = model.formula();
      SummedUtilizationCurve standing = new SummedUtilizationCurve();
      for (TrainingPair row : test) {
        double actual = row.normalisedSpeed();
        constant.add(actual, mean);
        summed.add(actual, bins.applyAsDouble(row));
        curve.add(actual, 1 / standing.slowdown(SummedUtilization.ofPercent(sum(row))).ratio());
        formula.add(actual, speed(learned, row));
        ours.add(actual, model.speed(row));
        bounds.add(slowdown(row), 1 / Math.max(MIN_SPEED, model.leastSpeed(row)));
        quantile.add(slowdown(row), bound);
      }
    }

    void addTo(Figures figures) {
      figures.addMae(protocol, "constant", constant);
      figures.addMae(protocol, "summed-utilization", summed);
      figures.addMae(protocol, "slower-job-curve", curve);
      figures.addMae(protocol, "formula", formula);
      figures.addMae(protocol, "training-pairs", ours);
      figures.addBound(protocol, "training-pairs", bounds);
      figures.addBound(protocol, "constant-quantile", quantile);
    }
  }

  /** What the shipped model answers. */
  private static Optional<Interval> published(TrainingPair row) {
    Colocation both = new Colocation(row.device(), List.of(member(row.own()), member(row.other())));
    return SHIPPED.answer(both) instanceof Answer.Estimated answer
        ? Optional.of(answer.effects().getFirst().slowdown())
        : Optional.empty();
  }

  private static double speed(ProductFormula formula, TrainingPair row) {
    TrainingPair.Usage own = Objects.requireNonNull(row.own().usage());
    TrainingPair.Usage other = Objects.requireNonNull(row.other().usage());
    return formula.speed(
        own.utilizationPercent() / 100.0,
        other.utilizationPercent() / 100.0,
        own.bandwidthPercent() / 100.0,
        other.bandwidthPercent() / 100.0);
  }

  private static Colocation.Member member(TrainingPair.Job job) {
    TrainingPair.Usage usage = job.usage();
    WorkloadProfileSource.Training known =
        usage == null
            ? new WorkloadProfileSource.Training(0)
            : new WorkloadProfileSource.Training(usage.utilizationPercent());
    return new Colocation.Member(job.name(), 1, null, known);
  }

  private static double slowdown(TrainingPair row) {
    return 1 / Math.max(MIN_SPEED, row.normalisedSpeed());
  }

  private static double mean(List<TrainingPair> rows) {
    return rows.stream().mapToDouble(TrainingPair::normalisedSpeed).average().orElse(1);
  }

  private static double sum(TrainingPair row) {
    TrainingPair.Usage own = row.own().usage();
    TrainingPair.Usage other = row.other().usage();
    return own == null || other == null ? 0 : own.utilizationPercent() + other.utilizationPercent();
  }

  /** UtilPred's view: the mean speed in bins of summed utilization. */
  private static ToDoubleFunction<TrainingPair> bins(List<TrainingPair> train) {
    double[] sums = new double[BINS.length + 1];
    int[] counts = new int[BINS.length + 1];
    for (TrainingPair row : train) {
      sums[bin(row)] += row.normalisedSpeed();
      counts[bin(row)]++;
    }
    double mean = mean(train);
    return row -> counts[bin(row)] == 0 ? mean : sums[bin(row)] / counts[bin(row)];
  }

  private static int bin(TrainingPair row) {
    int bin = 0;
    while (bin < BINS.length && sum(row) >= BINS[bin]) {
      bin++;
    }
    return bin;
  }

  /** Each pair of jobs out in turn, where only names are known; one table a device. */
  static void addPairOut(Figures figures, List<TrainingPair> all) {
    SortedSet<String> devices = new TreeSet<>();
    List<TrainingPair> unmeasured =
        all.stream().filter(r -> !TrainingPairModel.isMeasured(r)).toList();
    unmeasured.forEach(row -> devices.add(row.device()));
    for (String device : devices) {
      addPairOut(
          figures,
          "gavel-" + device + "-pair-out",
          unmeasured.stream().filter(row -> row.device().equals(device)).toList());
    }
  }

  private static void addPairOut(Figures figures, String protocol, List<TrainingPair> rows) {
    PairOut scores = new PairOut();
    List<String> pairs = rows.stream().map(TrainingPair::pair).distinct().sorted().toList();
    for (int block = 0; block < BLOCKS; block++) {
      Set<String> out = new TreeSet<>();
      for (int i = block; i < pairs.size(); i += BLOCKS) {
        out.add(pairs.get(i));
      }
      JobPairModel.fit(Split.by(rows, row -> !out.contains(row.pair())).train())
          .ifPresent(chosen -> {
            for (String pair : out) {
              scores.add(Split.by(rows, row -> !row.pair().equals(pair)), chosen);
            }
          });
    }
    figures.addMae(protocol, "constant", scores.constant);
    figures.addMae(protocol, "own-job-mean", scores.ownMean);
    figures.addMae(protocol, "job-pairs", scores.ours);
  }

  /** The scores of one device's pairs. */
  private static final class PairOut {
    private final Scores constant = new Scores();
    private final Scores ownMean = new Scores();
    private final Scores ours = new Scores();

    void add(Split<TrainingPair> split, JobPairModel chosen) {
      JobPairModel model = chosen.again(split.train()).orElse(chosen);
      double mean = mean(split.train());
      for (TrainingPair row : split.test()) {
        constant.add(row.normalisedSpeed(), mean);
        List<TrainingPair> own =
            split.train().stream().filter(r -> r.own().equals(row.own())).toList();
        ownMean.add(row.normalisedSpeed(), own.isEmpty() ? mean : mean(own));
        ours.add(row.normalisedSpeed(), model.speed(row));
      }
    }
  }
}
