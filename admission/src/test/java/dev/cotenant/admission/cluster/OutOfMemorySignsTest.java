package dev.cotenant.admission.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.Bench;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutOfMemorySignsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'reason':'OOMKilled','exitCode':137}",
        "{'reason':'Error','exitCode':1,'message':'step 3\\ntorch.OutOfMemoryError: CUDA out of"
            + " memory. Tried to allocate 2.00 GiB.'}",
        "{'reason':'Error','exitCode':1,'message':'failed: CUDA_ERROR_OUT_OF_MEMORY: out of"
            + " memory'}",
        "{'reason':'Error','exitCode':134,'message':'RESOURCE_EXHAUSTED: Out of memory while"
            + " trying'}"
      })
  void seesThatMemoryRanOut(String terminated) {
    assertThat(OutOfMemorySigns.in(Bench.json(terminated))).isTrue();
  }

  @Test
  void aKillByTheNodeSaysNothingOfTheGpu() {
    assertThat(OutOfMemorySigns.ofGpu(Bench.json("{'reason':'OOMKilled','exitCode':137}")))
        .isFalse();
    assertThat(OutOfMemorySigns.ofGpu(Bench.json("{'exitCode':1,'message':'CUDA out of memory'}")))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'reason':'Error','exitCode':1}",
        "{'reason':'Error','exitCode':1,'message':'no such file'}",
        "{'reason':'Completed','exitCode':0,'message':'retried after CUDA out of memory'}",
        "{'reason':7,'exitCode':'x','message':['CUDA out of memory']}"
      })
  void seesNothingElse(String terminated) {
    assertThat(OutOfMemorySigns.in(Bench.json(terminated))).isFalse();
  }
}
