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
            + " trying'}",
        "{'reason':'Error','exitCode':1,'message':'[HAMI-core ERROR (pid:7 thread=1"
            + " allocator.c:60)]: Device 0 OOM 8592031744 / 8589934592'}",
        "{'reason':'Error','exitCode':1,'message':'ValueError: No available memory for the cache"
            + " blocks. Try increasing `gpu_memory_utilization`'}",
        "{'reason':'Error','exitCode':1,'message':'Free memory on device cuda:0 (3.1/8.0 GiB) on"
            + " startup is less than desired GPU memory utilization (0.9, 7.2 GiB).'}",
        "{'reason':'Error','exitCode':1,'message':'4.0 GiB KV cache is needed, which is larger"
            + " than the available KV cache memory (1.2 GiB)'}"
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
