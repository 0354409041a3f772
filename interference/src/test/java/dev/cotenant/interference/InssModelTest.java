package dev.cotenant.interference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.partition.Inss;
import dev.cotenant.interference.partition.InssFit;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.SoloFit.NotFitted;
import dev.cotenant.interference.solo.SoloPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InssModelTest {
  private static final String V100 = "v100-16gb";
  private static final DeviceProfile DEVICE =
      new DeviceProfile(V100, 100, 1000, 10, 1000, -2, 0.01, -0.005, 2.5);
  private static final WorkloadProfile BASE = base(V100);
  private static final Inss.Coefficients COEFFICIENTS =
      new Inss.Coefficients(BASE, (b, r) -> 100 * b / r, 0.2, 1, new Inss.Memory(500, 25));

  private static final ProfileBook BOOK = new ProfileBook(List.of(DEVICE), List.of(), List.of());
  private static final InssModel MODEL = new InssModel(BOOK, DeviceCatalogue.builtIn());

  @Test
  void addsTheWaitForABatchToWhatNeighboursStretch() {
    // b 2 at 40 %: 5 ms active; the neighbour at 60 % uses 0.2·60 + 1 = 13 % of L2: 5·1.13 = 5.65;
    // scheduling 0.2 + (0.01·2 − 0.005)·10 = 0.35; transfers 70·2/1000 = 0.14: 6.14. Alone 5 + 0.2
    // + 0.14 = 5.34. W 5 of b 2: ⌈5/2⌉ = 3 batches after 4 ms: 4 + 3·6.14 = 22.42.
    Answer.Estimated answer =
        estimated(
            member("a", 2, 40.0, queued(COEFFICIENTS, 5, 4)),
            member("b", 4, 60.0, queued(COEFFICIENTS, 1, 0)));
    assertThat(answer.model()).isEqualTo("inss");
    Answer.Effect first = answer.effects().getFirst();
    assertThat(serving(first).latencyMillis().mean()).isCloseTo(6.14, within(1e-9));
    assertThat(first.slowdown().mean()).isCloseTo(6.14 / 5.34, within(1e-9));
    assertThat(serving(first).throughputPerSecond().mean()).isCloseTo(2000 / 6.14, within(1e-9));
    assertThat(request(first).mean()).isCloseTo(22.42, within(1e-9));
    // The neighbour: b 4 at 60 %: 6.6667·(1 + 0.01·9) = 7.2667; 0.35; 0.28: 7.8967. W 1 of b 4 at
    // 100/s waits 30 ms for three more: 37.8967.
    Answer.Effect second = answer.effects().get(1);
    assertThat(request(second).mean()).isCloseTo(37.8967, within(1e-4));
    assertThat(request(second).upper()).isGreaterThan(request(second).mean());
    assertThat(answer.gpu()).isNull(); // frequency and power are no part of this model
  }

  @Test
  void isAskedByTheEnsembleWhereArrivalRatesAreGivenAndIgniterWhereOneIsMissing() {
    WorkloadProfile ssd = ProfileBook.builtIn().workload("ssd").orElseThrow();
    Inss.Coefficients known =
        new Inss.Coefficients(ssd, (b, r) -> 200 * b / r, 0.2, 1, new Inss.Memory(500, 25));
    InterferenceEnsemble ensemble = InterferenceEnsemble.builtIn();
    Colocation.Member queued = member("a", 2, 40.0, queued(known, 1, 0));
    Colocation.Member profiled = member("b", 2, 40.0, new Knowledge.Profiled(ssd, null));
    assertThat(model(ensemble, queued, queued)).isEqualTo("inss");
    assertThat(model(ensemble, queued, profiled)).isEqualTo("igniter");
    assertThat(ensemble.named("inss").answer(new Colocation(V100, List.of(profiled))))
        .isInstanceOf(Answer.CannotSay.class);
    assertThat(ensemble.named("ensemble")).isSameAs(ensemble);
    assertThatThrownBy(() -> ensemble.named("insss"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("use ensemble, inss, partition, cold-start, training-pairs");
  }

  @Test
  void saysWhyItCannotSay() {
    Knowledge queued = queued(COEFFICIENTS, 1, 0);
    assertThat(reason(V100, member("a", 1, 60.0, queued), member("b", 1, 50.0, queued)))
        .contains("more than 100 %");
    assertThat(reason(V100, member("a", 1, null, queued))).contains("no partition");
    assertThat(reason("t4", member("a", 1, 50.0, queued))).contains("no interference coefficients");
    assertThat(reason(V100, member("a", 1, 50.0, new Knowledge.Profiled(BASE, null))))
        .contains("no arrival rate");
    // 500 + 25·700 = 18,000 MiB, the device has 16,384.
    assertThat(reason(V100, member("a", 700, 50.0, queued)))
        .contains("18000 MiB")
        .contains("16384");
    assertThat(reason(V100, member("a", 1, 50.0, queued(with(base("t4")), 1, 0))))
        .contains("profiled on t4");
    Inss.Coefficients broken =
        new Inss.Coefficients(BASE, (_, _) -> Double.NaN, 0, 0, new Inss.Memory(0, 0));
    assertThat(reason(V100, member("a", 1, 50.0, queued(broken, 1, 0))))
        .contains("no positive time");
  }

  @Test
  void fitsItsCoefficientsFromProfilePoints() {
    // Exact laws come back: t = 100·b/r is a plane in logarithms, L2 0.2·r + 1, memory 500 + 25·b.
    Inss.Coefficients fitted = InssFit.fit(BASE, points(new int[] {1, 2, 8, 32})).require();
    assertThat(fitted.activeTime().millis(4, 60)).isCloseTo(400.0 / 60, within(1e-9));
    assertThat(fitted.l2Slope()).isCloseTo(0.2, within(1e-9));
    assertThat(fitted.l2Intercept()).isCloseTo(1, within(1e-9));
    assertThat(fitted.memory().at(16)).isCloseTo(900, within(1e-6));
    assertThat(InssFit.fit(BASE, points(new int[] {1}))).isInstanceOf(NotFitted.class);
    assertThat(InssFit.fit(BASE, points(new int[] {1, 1}))).isInstanceOf(NotFitted.class);
  }

  private static List<InssFit.Point> points(int[] batches) {
    List<InssFit.Point> points = new ArrayList<>();
    for (int batch : batches) {
      for (double share : new double[] {20, 40, 50, 80}) {
        points.add(
            new InssFit.Point(
                new SoloPoint(batch, share, 100 * batch / share),
                0.2 * share + 1,
                500 + 25 * batch));
      }
    }
    return points;
  }

  private static WorkloadProfile base(String device) {
    return new WorkloadProfile(
        "w",
        device,
        new WorkloadProfile.ActiveTime(0, 0, 0, 0, 1),
        0.01,
        new WorkloadProfile.Demand(0, 0, 0, 0),
        10,
        0.2,
        50,
        20);
  }

  private static Inss.Coefficients with(WorkloadProfile base) {
    return new Inss.Coefficients(base, (b, r) -> 100 * b / r, 0.2, 1, new Inss.Memory(500, 25));
  }

  private static Knowledge queued(Inss.Coefficients known, int waiting, double executingMillis) {
    return new Knowledge.Queued(known, new Inss.Arrival(waiting, executingMillis, 100));
  }

  private static Colocation.Member member(
      String name, int batch, @Nullable Double share, Knowledge knowledge) {
    return new Colocation.Member(
        name, batch, share == null ? null : new MpsShare(share), knowledge);
  }

  private static Answer.Estimated estimated(Colocation.Member... members) {
    return (Answer.Estimated) MODEL.answer(new Colocation(V100, List.of(members)));
  }

  private static String model(InterferenceModel model, Colocation.Member... members) {
    return ((Answer.Estimated) model.answer(new Colocation(V100, List.of(members)))).model();
  }

  private static String reason(String device, Colocation.Member... members) {
    return ((Answer.CannotSay) MODEL.answer(new Colocation(device, List.of(members)))).reason();
  }

  private static Answer.Serving serving(Answer.Effect effect) {
    return Objects.requireNonNull(effect.serving());
  }

  private static Interval request(Answer.Effect effect) {
    return Objects.requireNonNull(serving(effect).requestMillis());
  }
}
