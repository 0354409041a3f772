package dev.cotenant.placement.inss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shares of one GPU in units of the device. */
class FillingTest {
  private static final ProfileBook BOOK = ProfileBook.builtIn();
  private static final String V100 = "v100-16gb";

  private static DeviceType gpu(double unitPercent) {
    DeviceProfile known = BOOK.requireDevice(V100);
    DeviceProfile profile =
        new DeviceProfile(
            V100,
            known.maxPowerWatts(),
            known.maxFrequencyMegahertz(),
            known.idlePowerWatts(),
            known.pcieBytesPerMillisecond(),
            known.frequencySlope(),
            known.schedulingSlope(),
            known.schedulingIntercept(),
            unitPercent);
    return new DeviceType(V100, MemorySize.ofGiB(16), 1, 1, profile);
  }

  private static List<FixedShare> shares(double unitPercent, double... rates) {
    WorkloadProfile profile = BOOK.workload("alexnet").orElseThrow();
    List<Service> services =
        IntStream.range(0, rates.length)
            .mapToObj(i -> new Service("s" + i, 25, rates[i], null, Map.of(V100, profile)))
            .toList();
    Fleet fleet =
        new Fleet(List.of(gpu(unitPercent)), services, List.of(), List.of(), Arrivals.CONSTANT);
    return Filling.byLoad(fleet).placed().placement();
  }

  @ParameterizedTest
  @ValueSource(doubles = {2.5, 3, 10, 100 / 7.0, 33.3, 60, 100})
  void everyServiceHasWholeUnitsOfNoMoreThanTheGpu(double unitPercent) {
    SplittableRandom random = new SplittableRandom(7);
    int units = (int) (100 / unitPercent + 1e-9);
    for (int n = 1; n <= 40; n++) {
      List<Double> rates = new ArrayList<>();
      for (int i = 0; i < n; i++) {
        rates.add(Math.pow(10, random.nextDouble(-2, 4)));
      }
      List<FixedShare> shares =
          shares(unitPercent, rates.stream().mapToDouble(Double::doubleValue).toArray());

      assertThat(shares).hasSize(Math.min(n, units));
      double sum = shares.stream().mapToDouble(one -> one.share().percent()).sum();
      assertThat(sum).isLessThanOrEqualTo(100).isGreaterThan(units * unitPercent - 0.1 * n - 1e-9);
      assertThat(shares)
          .allSatisfy(one -> {
            double own = one.share().percent() / unitPercent;
            assertThat(own)
                .isGreaterThan(0.9)
                .isBetween(Math.rint(own) - 0.1, Math.rint(own) + 1e-9);
          });
    }
  }

  @Test
  void manySmallLoadsLeaveTheRestToTheLarge() {
    double[] loads =
        DoubleStream.concat(
                DoubleStream.generate(() -> 0.01).limit(12),
                DoubleStream.generate(() -> 1).limit(5))
            .toArray();

    assertThat(Filling.units(loads, 40))
        .containsExactly(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 5, 5, 8);
    assertThat(Filling.units(new double[] {1, 2, 5}, 8)).containsExactly(1, 2, 5);
    assertThat(Filling.units(new double[3], 7)).containsExactly(1, 1, 5);
  }
}
