package dev.cotenant.admission.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.gate.GateBench;
import dev.cotenant.admission.gate.StoredPod;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForeignGpusTest {
  private final StoredPod pod = new GateBench(1).pod("stranger", "resnet50", 1, 2);

  private ForeignGpus.Found found() {
    return ForeignGpus.of(pod.watched());
  }

  @Test
  void readsUuidsOfHami() {
    pod.annotations.put(
        "hami.io/vgpu-devices-allocated",
        "GPU-03f69c50-207a-2038-9b45-23cac89cb67d,NVIDIA,4096,30:;GPU-1b2c,NVIDIA,1,1:;");

    assertThat(found())
        .isEqualTo(
            new ForeignGpus.Found(
                List.of("GPU-03f69c50-207a-2038-9b45-23cac89cb67d", "GPU-1b2c"), 0));
  }

  @Test
  void countsNumbersOfGpushareAndKoordinator() {
    pod.annotations.put("ALIYUN_COM_GPU_MEM_IDX", "3");
    assertThat(found()).isEqualTo(new ForeignGpus.Found(List.of(), 1));

    pod.annotations.remove("ALIYUN_COM_GPU_MEM_IDX");
    pod.annotations.put(
        "scheduling.koordinator.sh/device-allocated",
        "{\"gpu\":[{\"minor\":0,\"resources\":{}},{\"minor\":1},{\"minor\":2}]}");
    assertThat(found()).isEqualTo(new ForeignGpus.Found(List.of(), 3));
  }

  @Test
  void takesWhatThePodAsksForWhereNothingIsSaid() {
    assertThat(found()).isEqualTo(new ForeignGpus.Found(List.of(), 2));

    pod.annotations.put("hami.io/vgpu-devices-allocated", "nonsense");
    assertThat(found()).isEqualTo(new ForeignGpus.Found(List.of(), 2));
  }
}
