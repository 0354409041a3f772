package dev.cotenant.lab.inss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.simulator.event.Draws;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InssSpaceTest {
  private final InssServer server = InssServer.ofSix();
  private final InssSpace space = new InssSpace(server);

  @Test
  void hasUsedMemoryRatesAndQueuesAndAChoiceOfFortyAModel() {
    assertThat(space.shape().state()).isEqualTo(4 + 6 + 6);
    assertThat(space.shape().heads()).isEqualTo(6);
    assertThat(space.shape().options()).isEqualTo(4 * 10);
  }

  /** Models 0 and 1 want 100 and 60 % of GPU 1, model 2 30 % of GPU 0. */
  @Test
  void sharesBeyondTheWholeAreCutInProportion() {
    List<FixedShare> shares = space.shares(new int[] {19, 15, 2, 20, 30, 39});

    assertThat(shares.get(0).gpu()).isEqualTo(1);
    assertThat(shares.get(0).share().percent()).isEqualTo(62.5);
    assertThat(shares.get(1).share().percent()).isEqualTo(37.5);
    assertThat(shares.get(2).gpu()).isZero();
    assertThat(shares.get(2).share().percent()).isEqualTo(30);
  }

  @Test
  void noActionGivesMoreThanAGpu() {
    Draws draws = new Draws(1);
    for (int i = 0; i < 1_000; i++) {
      int[] choices = new int[6];
      for (int model = 0; model < choices.length; model++) {
        choices[model] = draws.index(40);
      }
      Map<Integer, Integer> sums = new HashMap<>();
      space
          .shares(choices)
          .forEach(share -> sums.merge(share.gpu(), share.share().permille(), Integer::sum));
      assertThat(sums.values()).allMatch(sum -> sum <= 1_000);
    }
  }

  @Test
  void statesAreParts() {
    double whole = server.wholeRate(server.models().getFirst());
    double[] rates = new double[6];
    double[] queued = new double[6];
    rates[0] = whole / 4;
    queued[0] = whole / 2;
    double half = server.memory().getFirst().bytes() / 2.0;

    float[] state = space.state(new double[] {half, 0, 0, 0}, rates, queued);

    assertThat(state[0]).isCloseTo(0.5f, within(1e-6f));
    assertThat(state[4]).isCloseTo(0.25f, within(1e-6f));
    assertThat(state[10]).isCloseTo(0.5f, within(1e-6f));
  }
}
