package dev.cotenant.lab.gpulets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class GletApplicationTest {
  @Test
  void aGameIsSixDigitsAndAnImage() {
    assertThat(GletApplication.GAME.rates(10)).isEqualTo(Map.of("lenet", 60.0, "resnet50", 10.0));
    assertThat(GletApplication.GAME.objectives())
        .isEqualTo(Map.of("lenet", 95.0, "resnet50", 95.0));
  }

  /** 136 ms in the proportion of SSD's 136 and VGG-16's 130. */
  @Test
  void stagesDivideTheObjectiveByTheirLongestModel() {
    Map<String, Double> objectives = GletApplication.TRAFFIC.objectives();

    assertThat(objectives.get("ssd-mobilenetv1")).isCloseTo(136 * 136 / 266.0, within(1e-9));
    assertThat(objectives.get("vgg16")).isCloseTo(136 * 130 / 266.0, within(1e-9));
    assertThat(objectives.get("googlenet")).isEqualTo(objectives.get("vgg16"));
  }
}
