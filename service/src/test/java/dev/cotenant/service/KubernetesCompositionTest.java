package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class KubernetesCompositionTest {
  @Test
  void aPodsNameIsItsHostsUnlessItIsToldOtherwise() {
    assertThat(KubernetesComposition.pod(Map.of("POD_NAME", "cotenant-0", "HOSTNAME", "node-7")))
        .isEqualTo("cotenant-0");
    assertThat(KubernetesComposition.pod(Map.of("POD_NAME", " ", "HOSTNAME", "cotenant-1")))
        .isEqualTo("cotenant-1");
    assertThat(KubernetesComposition.pod(Map.of())).isEqualTo("cotenant");
  }
}
