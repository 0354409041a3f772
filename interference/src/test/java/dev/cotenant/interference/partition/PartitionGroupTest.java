package dev.cotenant.interference.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfiledPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartitionGroupTest {
  private static final ProfileBook BOOK = ProfileBook.builtIn();
  private static final DeviceProfile V100 = BOOK.requireDevice("v100-16gb");
  private static final List<String> MODELS = List.of("alexnet", "resnet50", "vgg19", "ssd");

  private static ProfiledPartition partition(String model, int batch, double percent) {
    return new ProfiledPartition(
        BOOK.workload(model).orElseThrow(), V100, batch, Share.ofPercent(percent));
  }

  private static PartitionGroup.Member member(ProfiledPartition partition, double limit) {
    return PartitionGroup.Member.of(partition, limit).orElseThrow();
  }

  /** By the whole model: a batch of one and the largest, others at their largest. */
  private static double slowdown(List<ProfiledPartition> all, int index) {
    double worst = 1;
    for (int batch : new int[] {1, all.get(index).batch()}) {
      GpuState state = new GpuState(V100, all.size());
      place(state, all.get(index), batch);
      state.evaluate();
      double solo = state.latencyMillis(0);
      state.clear();
      for (int i = 0; i < all.size(); i++) {
        place(state, all.get(i), i == index ? batch : all.get(i).batch());
      }
      assertThat(state.evaluate()).isEqualTo(GpuState.Status.VALID);
      worst = Math.max(worst, state.latencyMillis(index) / solo);
    }
    return worst;
  }

  private static void place(GpuState state, ProfiledPartition one, int batch) {
    state.placeProfiled(one.profile(), batch, one.share().percent());
  }

  @Test
  void slowsEachServiceAsTheModelOfTheWholeGpuDoes() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      List<ProfiledPartition> all = new ArrayList<>();
      int size = random.nextInt(2, 5);
      for (int i = 0; i < size; i++) {
        all.add(
            partition(
                MODELS.get(random.nextInt(MODELS.size())),
                random.nextInt(1, 33),
                random.nextInt(10, 100 / size + 1)));
      }
      PartitionGroup group =
          PartitionGroup.of(all.stream().map(one -> member(one, 2)).toList()).orElseThrow();
      PartitionGroup others =
          PartitionGroup.of(all.subList(1, size).stream().map(one -> member(one, 2)).toList())
              .orElseThrow();
      for (int i = 0; i < size; i++) {
        assertThat(group.slowdown(group.members().get(i)))
            .as("seed " + seed)
            .isCloseTo(slowdown(all, i), within(1e-9));
      }
      PartitionTerms further = group.members().getFirst().terms();
      assertThat(others.slowdownOf(further)).isCloseTo(slowdown(all, 0), within(1e-9));
      assertThat(tolerating(others, 1.15).tolerates(further))
          .as("seed " + seed)
          .isEqualTo(
              IntStream.range(1, size).allMatch(i -> slowdown(all, i) <= 1.15)
                  && isWithinBoth(tolerating(others, 1.15), further));
    }
  }

  private static PartitionGroup tolerating(PartitionGroup group, double limit) {
    return PartitionGroup.of(
            group.members().stream().map(one -> member(one.partition(), limit)).toList())
        .orElseThrow();
  }

  /** What no service may exceed that all tolerate. */
  private static boolean isWithinBoth(PartitionGroup group, PartitionTerms further) {
    return further.l2Percent() <= group.toleratedL2Percent() + 1e-9
        && further.watts() <= group.toleratedWatts() + 1e-9;
  }

  @Test
  void toleratesWhatStaysWithinTheLimitOfEach() {
    ProfiledPartition resnet = partition("resnet50", 8, 40);
    ProfiledPartition vgg = partition("vgg19", 8, 50);
    double ofResnet = slowdown(List.of(resnet, vgg), 0);
    PartitionTerms further = PartitionTerms.of(vgg).orElseThrow();

    assertThat(tenant(resnet, ofResnet + 1e-6).tolerates(further)).isTrue();
    assertThat(tenant(resnet, ofResnet - 1e-6).tolerates(further)).isFalse();
    assertThat(PartitionGroup.EMPTY.tolerates(further)).isTrue();
    assertThat(PartitionGroup.EMPTY.slowdownOf(further)).isEqualTo(1);
  }

  private static PartitionGroup tenant(ProfiledPartition partition, double limit) {
    return PartitionGroup.of(List.of(member(partition, limit))).orElseThrow();
  }

  /** Coefficients that no device has: one that stops at its own power is never joined. */
  @Test
  void toleratesNothingThatWouldStopTheClock() {
    DeviceProfile weak =
        new DeviceProfile("v100-16gb", 60, 1530, 53.5, 1e7, -100, 0.005, -0.009, 2.5);
    ProfiledPartition small =
        new ProfiledPartition(BOOK.workload("alexnet").orElseThrow(), weak, 1, Share.ofPercent(10));
    assertThat(PartitionTerms.of(small)).as("stopped by itself").isEmpty();

    DeviceProfile narrow =
        new DeviceProfile("v100-16gb", 100, 1530, 53.5, 1e7, -100, 0.005, -0.009, 2.5);
    PartitionGroup.Member member =
        member(
            new ProfiledPartition(
                BOOK.workload("alexnet").orElseThrow(), narrow, 1, Share.ofPercent(10)),
            1e5);
    PartitionGroup group = PartitionGroup.of(List.of(member)).orElseThrow();
    assertThat(group.slowdownOf(member.terms())).isEqualTo(PartitionTerms.STOPPED);
    assertThat(group.tolerates(member.terms())).isFalse();
    assertThat(group.toleratedWatts()).isLessThan(member.terms().watts());
  }

  @Test
  void hasNoFigureBeyondTheProfileOrTheGpuOrOfAnotherDevice() {
    assertThat(PartitionTerms.of(partition("vgg19", 33, 50))).as("batch").isEmpty();
    assertThat(PartitionTerms.of(partition("vgg19", 8, 5))).as("share").isEmpty();
    PartitionGroup.Member large = member(partition("vgg19", 8, 60), 2);
    assertThat(PartitionGroup.of(List.of(large, large))).as("120 %").isEmpty();

    DeviceProfile other = new DeviceProfile("t4", 70, 1590, 20, 1e7, -5, 0.005, -0.009, 2.5);
    PartitionGroup.Member elsewhere =
        member(
            new ProfiledPartition(
                BOOK.workload("vgg19").orElseThrow(), other, 8, Share.ofPercent(30)),
            2);
    assertThat(PartitionGroup.of(List.of(large, elsewhere))).isEmpty();
    PartitionGroup group = PartitionGroup.of(List.of(large)).orElseThrow();
    assertThat(group.isOfDevice(elsewhere.terms())).isFalse();
    assertThat(group.tolerates(elsewhere.terms())).isFalse();
    assertThat(group.slowdownOf(elsewhere.terms())).isNaN();
  }
}
