package dev.cotenant.admission.fill.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineBudgetsTest {
  private static final Policy WRITE =
      Policy.DEFAULT.with(copy -> copy.engineBudget = Policy.EngineBudget.WRITE);

  private final PodRequestReader reader = new PodRequestReader();

  /** A server that needs so many GiB with a cache of one. */
  private static Prediction prediction(String device, long neededGib) {
    MemorySize needed = MemorySize.ofGiB(neededGib);
    MemorySize takes = MemorySize.ofGiB(72);
    return new Prediction(
            new DeviceId(device),
            1,
            RunSettings.DEFAULT,
            new UtilizationEstimate(
                Utilization.FULL, Utilization.IDLE, Utilization.FULL, Coverage.CERTAIN),
            new MemoryEstimate(takes, MemorySize.ZERO, takes, Coverage.of(0.9)),
            "test",
            List.of())
        .withEngine(
            new EngineMemory(
                "vllm 0.19",
                takes,
                Map.of(),
                new EngineMemory.Least(
                    needed,
                    needed,
                    Coverage.of(0.9),
                    MemorySize.GIB,
                    new EngineMemory.Limit.CacheBytes()),
                null));
  }

  private static JsonNode pod(String container) {
    String pod =
        """
        {'metadata': {'name': 'p', 'annotations': {'cotenant.dev/gpu-memory': '30Gi'}},
         'spec': {'containers': [{'name': 'c', %s,
           'resources': {'limits': {'nvidia.com/gpu': '1'}}}]}}
        """
            .formatted(container);
    try {
      return new ObjectMapper().readTree(pod.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  private Optional<EngineBudgets.Added> added(
      JsonNode json, Policy policy, List<Prediction> predictions) {
    assertThat(reader.read(json, "team-a")).isInstanceOf(Colocatable.class);
    Colocatable pod = (Colocatable) reader.read(json, "team-a");
    return EngineBudgets.added(pod, policy, json, reader.gpuContainers(json), predictions);
  }

  private static final String PLAIN =
      "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['--model', 'm/llama']";

  @Test
  void writesWhatKeepsTheServerWithinTheDeclaredMemory() {
    assertThat(added(pod(PLAIN), WRITE, List.of(prediction("h100-80gb", 20))))
        .contains(
            new EngineBudgets.Added(
                "/spec/containers/0", true, "--kv-cache-memory-bytes=" + 11 * MemorySize.GIB));
  }

  @Test
  void writesWhatHoldsOnEveryProduct() {
    assertThat(
            added(
                pod(PLAIN),
                WRITE,
                List.of(prediction("a100-80gb", 20), prediction("h100-80gb", 25))))
        .map(EngineBudgets.Added::argument)
        .contains("--kv-cache-memory-bytes=" + 6 * MemorySize.GIB);
  }

  @Test
  void saysWhyTooLittleMemoryLimitsNoServer() {
    Colocatable pod = (Colocatable) reader.read(pod(PLAIN), "team-a");
    List<Prediction> predictions = List.of(prediction("h100-80gb", 20), prediction("l4", 31));

    assertThat(added(pod(PLAIN), WRITE, predictions)).isEmpty();
    assertThat(EngineBudgets.tooSmall(pod, WRITE, predictions))
        .containsExactly(
            "no argument limits the server to the declared 30 GiB: on l4 vllm 0.19 needs 31 GiB for"
                + " one sequence of the longest length; declare as much, or lower --max-model-len");
    assertThat(EngineBudgets.tooSmall(pod, WRITE, predictions.subList(0, 1))).isEmpty();
    assertThat(EngineBudgets.tooSmall(pod, Policy.DEFAULT, predictions)).isEmpty();
  }

  @Test
  void adviceIsTheDefault() {
    List<Prediction> predictions = List.of(prediction("h100-80gb", 20));

    assertThat(added(pod(PLAIN), Policy.DEFAULT, predictions)).isEmpty();
    assertThat(EngineBudgets.advice(predictions))
        .singleElement()
        .asString()
        .contains(
            "on h100-80gb vllm 0.19 needs 20 GiB",
            "takes 72 GiB",
            "set --kv-cache-memory-bytes=" + MemorySize.GIB);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['m', '--gpu-memory-utilization', '0.5']",
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['m', '--kv-cache-memory-bytes=1']",
        "'image': 'x:v0.19.0', 'command': ['sh', '-c', 'vllm serve m']",
        "'image': 'vllm/vllm-openai:latest', 'args': ['--model', 'm/llama']",
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['m', '--config', '/etc/vllm.yaml']",
        "'image': 'train', 'command': ['python', 'train.py']",
        "'image': 'vllm/vllm-openai:v0.19.0'",
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': []",
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['bash', '-c', 'vllm serve m']",
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['/bin/bash', '-c', 'vllm serve m']",
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['-c', 'vllm serve m']",
      })
  void changesNoExplicitValueAndNothingThatIsNotPlain(String container) {
    assertThat(added(pod(container), WRITE, List.of(prediction("h100-80gb", 20)))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['m/llama', '--port=80']",
        "'image': 'vllm/vllm-openai:v0.19.0', 'command': ['/opt/bin/vllm', 'serve', 'm/llama']",
        "'image': 'vllm/vllm-openai:v0.19.0', 'args': ['vllm', 'serve', 'm/llama']",
      })
  void addsToTheArgumentsOfTheServerAlone(String container) {
    assertThat(added(pod(container), WRITE, List.of(prediction("h100-80gb", 20)))).isPresent();
  }

  @Test
  void writesNothingWhereTheMemoryIsLessThanOneSequenceNeeds() {
    assertThat(added(pod(PLAIN), WRITE, List.of(prediction("h100-80gb", 31)))).isEmpty();
    assertThat(added(pod(PLAIN), WRITE, List.of())).isEmpty();
  }

  @Test
  void aPatchedPodIsNotPatchedAgainAndItsRecordStays() {
    String argument = "--kv-cache-memory-bytes=" + 11 * MemorySize.GIB;
    JsonNode patched = pod(PLAIN.replace("]", ", '" + argument + "']"));
    List<Prediction> predictions = List.of(prediction("h100-80gb", 20));

    assertThat(added(patched, WRITE, predictions)).isEmpty();
    assertThat(
            EngineBudgets.recorded(
                Map.of("cotenant.dev/engine-budget", argument),
                patched,
                reader.gpuContainers(patched)))
        .isEqualTo(argument);
    assertThat(
            EngineBudgets.recorded(
                Map.of("cotenant.dev/engine-budget", "--forged"),
                patched,
                reader.gpuContainers(patched)))
        .isNull();
  }
}
