package dev.cotenant.admission.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Workload;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineRunsTest {
  private static final String GPU = "'resources':{'limits':{'nvidia.com/gpu':'1'}}";
  private static final String VLLM =
      "{'name':'server','image':'vllm/vllm-openai:v0.19.0','args':['--model',"
          + "'meta-llama/Llama-3.1-8B','--max-model-len=8192','--api-key','secret','--port','80'],"
          + GPU
          + "}";

  private final PodRequestReader reader = new PodRequestReader();

  private Colocatable read(String annotations, String containers) {
    PodRequest request = reader.read(PodJson.pod(annotations, containers), "team-a");
    assertThat(request).isInstanceOf(Colocatable.class);
    return (Colocatable) request;
  }

  private @Nullable EngineRun run(String annotations, String containers) {
    return read(annotations, containers).workload().engine();
  }

  @Test
  void aServerNeedsNoAnnotation() {
    Colocatable pod = read("{}", "[" + VLLM + "]");
    EngineRun run = Objects.requireNonNull(pod.workload().engine());

    assertThat(run.kind()).isEqualTo(EngineRun.Kind.SERVER);
    assertThat(run.engine()).isEqualTo("vllm");
    assertThat(run.version()).isEqualTo("v0.19.0");
    assertThat(run.model()).isEqualTo("meta-llama/Llama-3.1-8B");
    assertThat(run.namespace()).isEqualTo("team-a");
    assertThat(run.unread()).isEmpty();
    assertThat(pod.workload().settings().mode()).isEqualTo(ExecutionMode.INFERENCE);
    Workload workload = pod.workload().workload().orElseThrow();
    assertThat(workload.model()).isEqualTo("meta-llama/Llama-3.1-8B");
    assertThat(workload.mayBeGraph()).isFalse();
  }

  @Test
  void keepsNothingThatDoesNotDecideAboutMemory() {
    EngineRun run = Objects.requireNonNull(run("{}", "[" + VLLM + "]"));

    assertThat(run.settings()).containsOnlyKeys("max-model-len");
    assertThat(run.toString()).doesNotContain("secret");
    assertThat(run).isEqualTo(run("{}", "[" + VLLM.replace("'80'", "'81'") + "]"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'-tp','2' | 2",
        "'-tp=2','-pp=2','-dp=2' | 8",
        "'-dp=2' | 2",
        "'-dp=4','--data-parallel-size-local=2' | 2",
        "'-dp=4','--data-parallel-rank=1' | 0",
        "'-tp=1' | 0",
        "'-tp=many' | 0"
      })
  void namesGpusThatAServerTakesBeyondThoseRequested(String argument, int taken) {
    EngineRun run =
        Objects.requireNonNull(
            run("{}", "[" + VLLM.replace("'--port'", argument + ",'--port'") + "]"));
    assertThat(run.unread()).hasSize(taken == 0 ? 0 : 1);
    assertThat(run.unread())
        .allMatch(
            line -> line.startsWith("vllm takes " + taken + " GPUs and its container requests 1:"))
        .allMatch(line -> line.endsWith("is not counted"));
  }

  @Test
  void annotationsOverrideTheContainer() {
    Colocatable pod =
        read(
            "{'cotenant.dev/model':'Qwen/Qwen3-8B','cotenant.dev/engine-version':'0.18'}",
            "[" + VLLM.replace("v0.19.0", "latest") + "]");
    EngineRun run = Objects.requireNonNull(pod.workload().engine());

    assertThat(run.model()).isEqualTo("Qwen/Qwen3-8B");
    assertThat(run.version()).isEqualTo("0.18");
    assertThat(run.unread()).isEmpty();
    assertThat(pod.workload().workload().orElseThrow().mayBeGraph()).isTrue();
  }

  @Test
  void saysWhatNothingStates() {
    EngineRun run =
        Objects.requireNonNull(run("{}", "[" + VLLM.replace("v0.19.0", "latest") + "]"));

    assertThat(run.version()).isNull();
    assertThat(run.unread())
        .singleElement()
        .asString()
        .contains("no version of vllm is named", "cotenant.dev/engine-version");
  }

  @Test
  void readsTheContainerWithTheGpu() {
    String sidecar = "{'name':'proxy','image':'vllm/vllm-openai:v0.10.0','args':['m']}";

    EngineRun run = Objects.requireNonNull(run("{}", "[" + sidecar + "," + VLLM + "]"));

    assertThat(run.version()).isEqualTo("v0.19.0");
    assertThat(run.unread()).isEmpty();
    EngineRun two = Objects.requireNonNull(run("{}", "[" + VLLM + "," + VLLM + "]"));
    assertThat(two.unread()).contains("2 containers use the GPU, and one is predicted");
  }

  @Test
  void anOrdinaryTrainingPodHasNoEngine() {
    assertThat(
            run(
                "{'cotenant.dev/model':'resnet50'}",
                "[{'name':'c','image':'pytorch','command':['python','train.py']," + GPU + "}]"))
        .isNull();
    assertThat(run("{}", "[{'name':'c'," + GPU + "}]")).isNull();
  }

  @Test
  void trainingByALauncherIsTraining() {
    Colocatable pod =
        read(
            "{}",
            "[{'name':'c','image':'pytorch','command':['torchrun','--nproc-per-node','2',"
                + "'sft.py','--model_name_or_path','Qwen/Qwen3-8B','--use_peft','--lora_r','8'],"
                + GPU
                + "}]");
    EngineRun run = Objects.requireNonNull(pod.workload().engine());

    assertThat(run.kind()).isEqualTo(EngineRun.Kind.TRAINING);
    assertThat(run.settings()).containsEntry("lora-r", "8").containsEntry("nproc-per-node", "2");
    assertThat(pod.workload().settings().mode()).isEqualTo(ExecutionMode.TRAINING);
  }

  @Test
  void fieldsOfOtherTypesCountAsAbsent() {
    EngineRun run =
        run(
            "{}",
            "[{'name':'c','image':7,'command':{'a':1},'args':[1,null,{'b':2}],'env':'x',"
                + GPU
                + "}]");

    assertThat(run).isNull();
  }

  @Test
  void readsEveryArgumentOfTrainingThatDecidesAboutMemory() {
    EngineRun run =
        Objects.requireNonNull(
            run(
                "{}",
                "[{'name':'c','image':'pytorch','command':['torchrun','sft.py',"
                    + "'--model_name_or_path','Qwen/Qwen3-8B','--torch_dtype','bfloat16',"
                    + "'--finetuning_type','lora','--lora_target','q_proj','--bf16','true'],"
                    + GPU
                    + "}]"));

    assertThat(run.settings())
        .containsEntry("torch-dtype", "bfloat16")
        .containsEntry("finetuning-type", "lora")
        .containsEntry("lora-target", "q_proj")
        .containsEntry("bf16", "true");
  }

  @Test
  void cutsLongTexts() {
    String text = "x".repeat(5_000);
    String long_ =
        VLLM.replace("'--port'", "'--speculative-config','{" + text + "}','--dtype','" + text + "'")
            .replace("meta-llama/", text)
            .replace("v0.19.0", text);

    EngineRun run = Objects.requireNonNull(run("{}", "[" + long_ + "]"));

    assertThat(run.settings())
        .containsEntry("speculative-config", "true")
        .containsEntry("dtype", "x".repeat(200));
    assertThat(run.unread()).contains("--dtype is longer than 200 characters");
    assertThat(run.toString()).hasSizeLessThan(4_000);
  }

  /** Cut, it would be asked for as another model. */
  @Test
  void keepsAReferenceToAModelWholeOrNotAtAll() {
    String url = "https://models.example/" + "m".repeat(489);
    String longer = url + "m";

    EngineRun kept =
        Objects.requireNonNull(run("{}", "[" + VLLM.replace("meta-llama/Llama-3.1-8B", url) + "]"));
    String container = "[" + VLLM.replace("meta-llama/Llama-3.1-8B", longer) + "]";
    EngineRun dropped = Objects.requireNonNull(run("{}", container));
    EngineRun named =
        Objects.requireNonNull(run("{'cotenant.dev/model':'Qwen/Qwen3-8B'}", container));

    String annotation = "{'cotenant.dev/model':'" + url + "'}";
    assertThat(Objects.requireNonNull(run(annotation, "[" + VLLM + "]")).model()).isEqualTo(url);
    assertThat(
            reader.read(PodJson.pod(annotation.replace(url, longer), "[" + VLLM + "]"), "team-a"))
        .isInstanceOf(PodRequest.Invalid.class);
    assertThat(kept.model()).isEqualTo(url).hasSize(512);
    assertThat(kept.unread()).isEmpty();
    assertThat(dropped.model()).isNull();
    assertThat(dropped.unread())
        .singleElement()
        .asString()
        .contains("named by more than 512 characters", "cotenant.dev/model");
    assertThat(named.model()).isEqualTo("Qwen/Qwen3-8B");
    assertThat(named.unread()).isEmpty();
  }

  /** Products that limit the memory of containers show them that as the GPU's. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'nvidia.com/gpu':'1','nvidia.com/gpumem':'25600' | 25",
        "'volcano.sh/vgpu-number':'1','volcano.sh/vgpu-memory':'25600' | 25",
        "'nvidia.com/gpu':'1' |",
        "'aliyun.com/gpu-mem':'25' |"
      })
  void seesTheMemoryThatItsDialectShows(String limits, @Nullable Long gib) {
    String container = VLLM.replace("'nvidia.com/gpu':'1'", limits);

    EngineRun run =
        Objects.requireNonNull(run("{'cotenant.dev/gpu-memory':'30Gi'}", "[" + container + "]"));

    assertThat(run.gpuMemory()).isEqualTo(gib == null ? null : MemorySize.ofGiB(gib));
  }

  /** KAI and gpushare limit nothing that a process could see. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'nvidia.com/gpu':'1','nvidia.com/gpumem-percentage':'50' | {} | 50",
        "'volcano.sh/vgpu-number':'1','volcano.sh/vgpu-memory-percentage':'25' | {} | 25",
        "'koordinator.sh/gpu-memory-ratio':'40','koordinator.sh/gpu-core':'10' | {} | 40",
        "'nvidia.com/gpu':'1','nvidia.com/gpumem-percentage':'100' | {} |",
        "'cpu':'1' | {'gpu-fraction':'0.5'} |"
      })
  void seesTheShareThatItsDialectShows(
      String limits, String annotations, @Nullable Double percent) {
    String container = VLLM.replace("'nvidia.com/gpu':'1'", limits);

    EngineRun run = Objects.requireNonNull(run(annotations, "[" + container + "]"));

    assertThat(run.gpuMemory()).isNull();
    assertThat(run.gpuShare()).isEqualTo(percent == null ? null : (Double) (percent / 100));
    double seen = percent == null ? 80 : 80 * percent / 100;
    assertThat(run.seenBytes(80)).isCloseTo(seen, within(1e-9));
  }

  @Test
  void saysWhichArgumentsMayTakeMemory() {
    String args = "'--speculative-config.model','a/draft','--made-up','secret','--port'";
    EngineRun run = Objects.requireNonNull(run("{}", "[" + VLLM.replace("'--port'", args) + "]"));

    assertThat(run.settings())
        .containsOnlyKeys("max-model-len", "speculative-config")
        .containsEntry("speculative-config", "true");
    assertThat(run.unread()).containsExactly("its --made-up may take memory that is not counted");
    assertThat(run.toString()).doesNotContain("secret");
  }

  @Test
  void referencesToConfigMapsAreUnread() {
    String container =
        VLLM.replace(
            "'args':[", "'envFrom':[{'configMapRef':{'name':'tuning'}}],'args':['$(EXTRA)',");

    assertThat(Objects.requireNonNull(run("{}", "[" + container + "]")).unread())
        .singleElement()
        .asString()
        .contains("cannot be resolved before the pod runs");
  }

  @Test
  void refusesAVersionThatIsNone() {
    PodRequest request =
        reader.read(
            PodJson.pod("{'cotenant.dev/engine-version':'new'}", "[" + VLLM + "]"), "team-a");

    assertThat(request)
        .isInstanceOfSatisfying(
            PodRequest.Invalid.class,
            invalid ->
                assertThat(invalid.problems())
                    .singleElement()
                    .asString()
                    .contains("cotenant.dev/engine-version", "a version, such as 0.19"));
  }

  @Test
  void annotationsStateTheTokensOfRequests() {
    EngineRun run =
        Objects.requireNonNull(
            run(
                "{'cotenant.dev/prompt-tokens':'2000','cotenant.dev/generated-tokens':'150'}",
                "[" + VLLM + "]"));

    assertThat(run.settings())
        .containsEntry("prompt-tokens", "2000")
        .containsEntry("generated-tokens", "150");
    PodRequest bad =
        reader.read(PodJson.pod("{'cotenant.dev/prompt-tokens':'0'}", "[" + VLLM + "]"), "team-a");
    assertThat(bad).isInstanceOf(PodRequest.Invalid.class);
    assertThat(bad.toString()).contains("prompt-tokens", "1 to 9999999");
  }

  @Test
  void otherServersAndGenerationKeepWhatDecidesAboutMemory() {
    EngineRun sglang =
        Objects.requireNonNull(
            run(
                "{}",
                "[{'name':'c','image':'lmsysorg/sglang:v0.5','args':['--model-path','a/b',"
                    + "'--mem-fraction-static','0.8','--api-key','secret'],"
                    + GPU
                    + "}]"));
    assertThat(sglang.kind()).isEqualTo(EngineRun.Kind.UNMODELLED);
    assertThat(sglang.settings()).isEqualTo(Map.of("mem-fraction-static", "0.8"));
    EngineRun generation =
        Objects.requireNonNull(
            run(
                "{}",
                "[{'name':'c','image':'kserve/huggingfaceserver:v0.15-gpu','args':"
                    + "['--model_id=a/b','--backend=huggingface','--dtype=float16'],"
                    + GPU
                    + "}]"));
    assertThat(generation.kind()).isEqualTo(EngineRun.Kind.GENERATION);
    assertThat(generation.settings()).isEqualTo(Map.of("dtype", "float16"));
  }
}
