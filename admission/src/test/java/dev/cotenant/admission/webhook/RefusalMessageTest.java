package dev.cotenant.admission.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RefusalMessageTest {
  private static final PodIdentity POD = new PodIdentity("team-a", "train", null);

  @Test
  void putsFirstWhatConcernsAllThenWhatAUserCanCure() {
    Reason unknown = new Reason.ModelUnknown("odd", null);
    Reason utilization = busy("GPU-3");
    Reason tenants = new Reason.TenantLimit("GPU-1", "n", 3, 3);
    Reason mig = new Reason.MigNotShareable("GPU-0", "n");
    Reason both = busy("GPU-1");

    assertThat(held(mig, tenants, both, utilization, unknown))
        .containsExactly(unknown, utilization, both, tenants, mig);
  }

  @Test
  void putsGpusThatAreTooSmallBehindThoseThatWillDoLater() {
    Reason full = memory("GPU-3", 40, 10, 50);
    Reason small = memory("GPU-1", 1, 45, 15);
    Reason larger = memory("GPU-2", 1, 45, 40);

    assertThat(held(small, larger, full)).containsExactly(full, larger, small);
    List<Reason> reasons = List.of(small, larger, full);
    assertThat(ReasonOrder.mostUseful(new Decision.Held(reasons), reasons)).isEqualTo(full);
  }

  @Test
  void beginsADenialWithWhatIsTooMuchEvenForTheLargestGpu() {
    Reason busySmall = busy("GPU-1");
    Reason small = memory("GPU-1", 1, 160, 15);
    Reason busyLarge = busy("GPU-2");
    Reason large = memory("GPU-2", 1, 160, 80);
    Reason taken = new Reason.ExclusiveRequested("GPU-0", "n", "team-b/whole");
    List<Reason> reasons = List.of(taken, busySmall, small, busyLarge, large);

    assertThat(ReasonOrder.byUsefulness(new Decision.Denied(reasons)))
        .containsExactly(large, busyLarge, small, busySmall, taken);
    assertThat(ReasonOrder.mostUseful(new Decision.Denied(reasons), reasons)).isEqualTo(large);
  }

  private static List<Reason> held(Reason... reasons) {
    return ReasonOrder.byUsefulness(new Decision.Held(List.of(reasons)));
  }

  private static Reason memory(String uuid, int forecast, int workload, int limit) {
    return new Reason.MemoryForecastExceeded(
        uuid,
        "n",
        MemorySize.ofGiB(forecast),
        "pp",
        MemorySize.ofGiB(workload),
        null,
        MemorySize.ofGiB(limit),
        null,
        null);
  }

  @Test
  void namesUncertainBoundsFirstOnlyWhereTheyDecide() {
    Reason uncertain = new Reason.PolicyExcluded(null, Coverage.of(0.9));
    Reason taken = new Reason.ExclusiveRequested("GPU-1", "n", "team-b/whole");
    Reason tooSmall =
        new Reason.PredictedMemoryExceeded(
            "GPU-2", "n", MemorySize.ofGiB(50), 1, MemorySize.ofGiB(40));

    assertThat(held(tooSmall, taken, uncertain)).containsExactly(uncertain, taken, tooSmall);
    assertThat(held(uncertain, tooSmall)).containsExactly(tooSmall, uncertain);
    assertThat(held(uncertain, busy("GPU-3"))).containsExactly(busy("GPU-3"), uncertain);
  }

  @Test
  void fitsIntoFourKibibytesAndCountsTheRest() {
    List<Reason> reasons =
        IntStream.range(0, 1000).mapToObj(i -> busy("GPU-" + (1000 + i))).toList();

    String message = RefusalMessage.held(POD, reasons);

    assertThat(message.getBytes(StandardCharsets.UTF_8).length)
        .isBetween(3500, RefusalMessage.MAX_BYTES);
    List<String> lines = message.lines().toList();
    int shown = lines.size() - 2;
    assertThat(lines.get(1)).startsWith("1. UtilizationExceeded: GPU-1000 on n: ");
    assertThat(lines.getLast()).isEqualTo("and " + (1000 - shown) + " more.");
  }

  @Test
  void isOneHeaderAndNumberedLines() {
    assertThat(RefusalMessage.invalid(POD, List.of("first", "second")))
        .isEqualTo("cotenant: the request of pod team-a/train is invalid.\n1. first\n2. second");
  }

  private static Reason busy(String uuid) {
    return new Reason.UtilizationExceeded(
        uuid,
        "n",
        SummedUtilization.ofPercent(80),
        Utilization.IDLE,
        Utilization.ofPercent(40),
        SummedUtilization.ofPercent(100),
        null);
  }
}
