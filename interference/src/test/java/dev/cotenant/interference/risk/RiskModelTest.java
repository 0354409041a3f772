package dev.cotenant.interference.risk;

import static dev.cotenant.interference.risk.Jobs.LARGE;
import static dev.cotenant.interference.risk.Jobs.LIMIT;
import static dev.cotenant.interference.risk.Jobs.SMALL;
import static dev.cotenant.interference.risk.Jobs.THIRD;
import static dev.cotenant.interference.risk.Jobs.beside;
import static dev.cotenant.interference.risk.Jobs.job;
import static dev.cotenant.interference.risk.Jobs.speed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.learning.linear.GaussianProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RiskModelTest {
  private final RiskModel model = new RiskModel(Jobs.prior());

  private double risk(SharedJob victim, SharedJob... aggressors) {
    return model.risk(beside(victim, aggressors), LIMIT);
  }

  @Test
  void aPairThatWasMeasuredOftenIsKnown() {
    for (int i = 0; i < 8; i++) {
      model.learn(speed(0.99, LARGE, SMALL));
      model.learn(speed(0.70, SMALL, LARGE));
    }

    assertThat(risk(LARGE, SMALL)).isLessThan(0.01);
    assertThat(risk(SMALL, LARGE)).isGreaterThan(0.99);
  }

  @Test
  void aVictimOfOneIsAVictimOfOthers() {
    double before = risk(SMALL, THIRD);
    model.learn(speed(0.70, SMALL, LARGE));

    assertThat(risk(SMALL, THIRD)).isGreaterThan(before);
  }

  @Test
  void anotherConfigurationOfAModelIsBetterKnownThanAnotherModel() {
    model.learn(speed(0.70, SMALL, LARGE));
    SharedJob sameModel = new SharedJob("small b64", "small", 0.3, 0.15);
    SharedJob otherModel = new SharedJob("other b64", "other", 0.3, 0.15);

    assertThat(risk(sameModel, LARGE)).isGreaterThan(risk(otherModel, LARGE));
    assertThat(model.estimate(beside(sameModel, LARGE)).deviation())
        .isLessThan(model.estimate(beside(otherModel, LARGE)).deviation());
  }

  @Test
  void whatOneDeviceTeachesMovesTheLevelOfThatDeviceAlone() {
    VictimColocation elsewhere = new VictimColocation("a100-40gb", THIRD, List.of(LARGE));
    double here = risk(THIRD, LARGE);
    double there = model.risk(elsewhere, LIMIT);
    for (int i = 0; i < 6; i++) {
      model.learn(speed(0.75, job("victim" + i, 0.3), job("aggressor" + i, 0.8)));
    }

    assertThat(there).isEqualTo(here);
    assertThat(risk(THIRD, LARGE)).isGreaterThan(model.risk(elsewhere, LIMIT));
  }

  /** The rows by a Gaussian process that is solved as a whole. */
  @Test
  void agreesWithTheProcessSolvedAsAWhole() {
    Random random = new Random(1);
    List<SharedJob> jobs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      jobs.add(new SharedJob("job" + i, "model" + i / 2, 0.1 * i + 0.2, 0.1 * i));
    }
    RiskPrior prior = Jobs.prior();
    List<Map<Terms.Level, Double>> terms = new ArrayList<>();
    List<Double> logs = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      SharedJob own = jobs.get(i % 6);
      SharedJob other = jobs.get((i * 7 + i / 6) % 6);
      double speed = 0.7 + 0.4 * random.nextDouble();
      if (!model.isMeasured(beside(own, other))) {
        model.learn(speed(speed, own, other));
        terms.add(Terms.of(beside(own, other), prior.scale()));
        logs.add(Math.log(speed));
      }
    }
    GaussianProcess whole = whole(terms, logs);
    for (SharedJob own : jobs) {
      Map<Terms.Level, Double> requested =
          Terms.of(beside(own, jobs.get(3), jobs.get(5)), prior.scale());
      double[] covariances =
          terms.stream().mapToDouble(row -> covariance(row, requested)).toArray();
      SpeedEstimate estimate = model.estimate(beside(own, jobs.get(5), jobs.get(3)));
      assertThat(estimate.mean()).isCloseTo(whole.mean(covariances), within(1e-9));
      assertThat(estimate.deviation())
          .isCloseTo(whole.deviation(covariances, covariance(requested, requested)), within(1e-9));
    }
  }

  private static GaussianProcess whole(List<Map<Terms.Level, Double>> terms, List<Double> logs) {
    double[][] covariances = new double[terms.size()][terms.size()];
    for (int i = 0; i < covariances.length; i++) {
      for (int j = 0; j < covariances.length; j++) {
        covariances[i][j] = covariance(terms.get(i), terms.get(j)) + (i == j ? 0.03 * 0.03 : 0);
      }
    }
    double[] targets = logs.stream().mapToDouble(Double::doubleValue).toArray();
    return GaussianProcess.fit(covariances, targets, 0).orElseThrow();
  }

  private static double covariance(Map<Terms.Level, Double> one, Map<Terms.Level, Double> other) {
    double sum = 0;
    for (Map.Entry<Terms.Level, Double> term : one.entrySet()) {
      sum += 0.03 * 0.03 * term.getValue() * other.getOrDefault(term.getKey(), 0.0);
    }
    return sum;
  }

  /** One measurement with the noise of the mean of 16, and 16 measurements. */
  @Test
  void repetitionsAreAveragedAndMakeFewRows() {
    RiskModel averaged = new RiskModel(Jobs.prior());
    averaged.learn(new SpeedMeasurement(beside(SMALL, LARGE), 0.9, 0.03 / 4));
    for (int i = 0; i < 16; i++) {
      model.learn(speed(0.9, SMALL, LARGE));
    }

    assertThat(model.rows()).isEqualTo(5);
    assertThat(model.estimate(beside(THIRD, LARGE)).mean())
        .isCloseTo(averaged.estimate(beside(THIRD, LARGE)).mean(), within(1e-9));
    double before = risk(THIRD, LARGE);
    model.compact();
    assertThat(model.rows()).isEqualTo(1);
    assertThat(risk(THIRD, LARGE)).isCloseTo(before, within(1e-6));
  }

  @Test
  void aFurtherAggressorNeverLowersARisk() {
    Random random = new Random(2);
    List<SharedJob> jobs = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      jobs.add(new SharedJob("job" + i, "model" + i / 2, random.nextDouble(), random.nextDouble()));
    }
    for (int i = 0; i < 40; i++) {
      model.learn(
          speed(0.6 + 0.7 * random.nextDouble(), jobs.get(i % 8), jobs.get(random.nextInt(8))));
    }
    for (int i = 0; i < 5; i++) {
      SharedJob one = jobs.get(i + 1);
      SharedJob two = jobs.get(i + 2);
      double both = risk(jobs.get(i), one, two);
      assertThat(both).isGreaterThanOrEqualTo(risk(jobs.get(i), one));
      assertThat(both).isGreaterThanOrEqualTo(risk(jobs.get(i), two));
      assertThat(risk(jobs.get(i), two, one)).isEqualTo(both);
      assertThat(risk(jobs.get(i), one, two, jobs.get(i + 3))).isGreaterThanOrEqualTo(both);
    }
  }

  /** In the logarithm two aggressors of usage 0 do what both do, the victim's own effect once. */
  @Test
  void effectsOfSeveralAggressorsAddUpInTheLogarithm() {
    SharedJob one = job("one", 0);
    SharedJob two = job("two", 0);
    for (int i = 0; i < 32; i++) {
      model.learn(speed(0.9, job("victim" + i, 0), one));
      model.learn(speed(0.9, job("victim" + i, 0), two));
      model.learn(speed(1, job("victim" + i, 0), job("harmless" + i, 0)));
    }
    SharedJob victim = job("victim", 0);
    double besideOne = model.estimate(beside(victim, one)).mean();
    double besideBoth = model.estimate(beside(victim, one, two)).mean();
    double alone = model.estimate(beside(victim, job("unknown", 0))).mean();

    assertThat(besideOne).isLessThan(alone - 0.04);
    assertThat(besideBoth - besideOne).isCloseTo(besideOne - alone, within(0.01));
  }

  @Test
  void theExplanationNamesTheEffectThatSlowsMost() {
    for (int i = 0; i < 10; i++) {
      model.learn(speed(0.75, SMALL, job("other" + i, 0.3)));
      model.learn(speed(1, job("other" + i, 0.3), job("other" + (i + 1), 0.3)));
    }
    SpeedEstimate.Explanation largest = model.estimate(beside(SMALL, THIRD)).explanation();

    assertThat(largest.effect()).isIn(Effect.VICTIM, Effect.VICTIM_MODEL);
    assertThat(largest.subject()).startsWith("small");
  }

  @Test
  void knowsWhoWasMeasuredBesideWhomOnADevice() {
    model.learn(speed(0.9, SMALL, LARGE));

    assertThat(model.knowsVictim(Jobs.DEVICE, SMALL)).isTrue();
    assertThat(model.knowsVictim(Jobs.DEVICE, LARGE)).isFalse();
    assertThat(model.knowsAggressor(Jobs.DEVICE, LARGE)).isTrue();
    assertThat(model.knowsAggressor(Jobs.DEVICE, SMALL)).isFalse();
    assertThat(model.knowsVictim("t4", SMALL)).isFalse();
  }

  @Test
  void aDeadJobIsWorthNoMoreThanASlowOne() {
    model.learn(speed(0.001, SMALL, LARGE));
    RiskModel slow = new RiskModel(Jobs.prior());
    slow.learn(speed(0.4, SMALL, LARGE));

    assertThat(risk(SMALL, LARGE)).isEqualTo(slow.risk(beside(SMALL, LARGE), LIMIT));
  }

  @Test
  void refusesWhatIsImpossible() {
    assertThatThrownBy(() -> speed(Double.NaN, SMALL, LARGE)).hasMessageContaining("speed is NaN");
    assertThatThrownBy(() -> job("job", 1.2)).hasMessageContaining("utilization is 1.2");
    assertThatThrownBy(() -> beside(SMALL)).hasMessageContaining("0 aggressors");
    assertThatThrownBy(() -> model.risk(beside(SMALL, LARGE), 0.9)).hasMessageContaining("below 1");
    assertThatThrownBy(() -> Deviations.all(0)).hasMessageContaining("not positive");
  }
}
