package dev.cotenant.admission.pod;

import static dev.cotenant.admission.pod.PodJson.gpuPod;
import static dev.cotenant.admission.pod.PodJson.json;
import static dev.cotenant.admission.pod.PodJson.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodRequestReaderTest {
  private static final String NO_ANNOTATIONS = "{}";

  private final PodRequestReader reader = new PodRequestReader();

  // Columns: limits; dialect; GPUs; MiB declared on a 40,000 MiB GPU (empty for none); compute
  // percent. Koordinator's figures are sums over the pod's GPUs: 100 % of memory over two GPUs is
  // half of each, 20,000 MiB of 40,000.
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'nvidia.com/gpu':'1'; NVIDIA; 1; ;",
        "'nvidia.com/gpu':4; NVIDIA; 4; ;",
        "'nvidia.com/gpu.shared':'1'; NVIDIA; 1; ;",
        "'nvidia.com/gpu':'1','nvidia.com/gpumem':'8k','nvidia.com/gpucores':'30'; HAMI; 1; 8000;"
            + " 30",
        "'nvidia.com/gpumem':'3000'; HAMI; 1; 3000; ",
        "'nvidia.com/gpu':'1','nvidia.com/gpumem-percentage':'25'; HAMI; 1; 10000; ",
        "'nvidia.com/gpu':'1','nvidia.com/gpumem-percentage':'100'; HAMI; 1; ; ",
        "'volcano.sh/vgpu-number':'2','volcano.sh/vgpu-memory':'1024','volcano.sh/vgpu-cores':'50';"
            + " VOLCANO; 2; 1024; 50",
        "'aliyun.com/gpu-mem':'4'; GPUSHARE; 1; 4096; ",
        "'aliyun.com/gpu-count':'2'; GPUSHARE; 2; ; ",
        "'koordinator.sh/gpu':'50'; KOORDINATOR; 1; 20000; 50",
        "'koordinator.sh/gpu':'100'; KOORDINATOR; 1; ; 100",
        "'koordinator.sh/gpu':'200'; KOORDINATOR; 2; ; 100",
        "'koordinator.sh/gpu.shared':'2','koordinator.sh/gpu-memory-ratio':'100'; KOORDINATOR; 2;"
            + " 20000; ",
        "'koordinator.sh/gpu-core':'60','koordinator.sh/gpu-memory':'8Gi'; KOORDINATOR; 1; 8192; 60"
      })
  void readsEveryDialectOfResources(
      String limits,
      GpuDialect dialect,
      int gpus,
      @Nullable Long mebibytes,
      @Nullable Double percent) {
    GpuRequest request =
        colocatable(pod(NO_ANNOTATIONS, "[{'name':'c','resources':{'limits':{" + limits + "}}}]"))
            .gpu();

    assertThat(request.dialect()).isEqualTo(dialect);
    assertThat(request.container()).isEqualTo("c");
    assertThat(request.gpus()).isEqualTo(gpus);
    assertThat(memoryOf(request)).isEqualTo(mebibytes == null ? null : MemorySize.ofMiB(mebibytes));
    assertThat(request.compute()).isEqualTo(percent == null ? null : new ComputeShare(percent));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'gpu-fraction':'0.25'; 1; 10000; first",
        "'gpu-memory':'2000'; 1; 2000; first",
        "'gpu-fraction':'0.5','gpu-fraction-num-devices':'2'; 2; 20000; first",
        "'gpu-fraction':'1','gpu-fraction-container-name':'second'; 1; ; second"
      })
  void readsTheAnnotationsOfKai(
      String annotations, int gpus, @Nullable Long mebibytes, String container) {
    GpuRequest request =
        colocatable(pod("{" + annotations + "}", "[{'name':'first'},{'name':'second'}]")).gpu();

    assertThat(request.dialect()).isEqualTo(GpuDialect.KAI);
    assertThat(request.gpus()).isEqualTo(gpus);
    assertThat(request.container()).isEqualTo(container);
    assertThat(memoryOf(request)).isEqualTo(mebibytes == null ? null : MemorySize.ofMiB(mebibytes));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "[{'name':'first'},{'name':'second'}]; first",
        "[{'name':'first','resources':{}},"
            + "{'name':'second','resources':{'claims':[{'name':'gpu'}]}}]; second"
      })
  void readsAClaimOfAGpu(String containers, String container) {
    GpuRequest request =
        colocatable(pod("{'cotenant.dev/resource-claim':'shared.a-1'}", containers)).gpu();

    assertThat(request).isEqualTo(new GpuRequest(GpuDialect.DRA, container, 1, null, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Upper", "-a", "a-", "a..b", "a/b", "../x"})
  void refusesWhatIsNoNameOfAClaim(String name) {
    JsonNode pod = pod("{'cotenant.dev/resource-claim':'" + name + "'}", "[{'name':'c'}]");
    assertThat(read(pod))
        .isInstanceOfSatisfying(
            PodRequest.Invalid.class,
            invalid ->
                assertThat(invalid.problems())
                    .singleElement()
                    .asString()
                    .contains("cotenant.dev/resource-claim", "253"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "[{'name':'c'}]",
        "[{'name':'c','resources':null}]",
        "[{'name':'c','resources':{'limits':{'memory':'8Gi'}}}]",
        "[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'0'}}}]"
      })
  void seesThatNoGpuIsAskedFor(String containers) {
    assertThat(read(pod("{'cotenant.dev/batch-size':'-1'}", containers)))
        .isEqualTo(new PodRequest.NoGpu());
  }

  @Test
  void takesTheContainerThatAsksNotTheFirst() {
    String containers =
        "[{'name':'sidecar'},{'name':'server','resources':{'limits':{'nvidia.com/gpu':'1'}}}]";

    assertThat(colocatable(pod(NO_ANNOTATIONS, containers)).gpu().container()).isEqualTo("server");
  }

  /**
   * Together: 1 + 1 (the sidecar) = 2; before that warm-up's 3, and the sidecar's where it is
   * first.
   */
  @ParameterizedTest
  @CsvSource({"'{0},{1}', 4", "'{1},{0}', 3"})
  void addsUpContainersThatRunTogether(String order, int gpus) {
    String gpu = "'resources':{'limits':{'nvidia.com/gpu':'%s'}}}";
    String init =
        order
            .replace("{0}", "{'name':'sidecar','restartPolicy':'Always'," + gpu.formatted(1))
            .replace("{1}", "{'name':'warm-up'," + gpu.formatted(3));
    String main = "{'name':'main'," + gpu.formatted(1);

    GpuRequest request =
        colocatable(
                json(
                    "{'metadata':{'name':'p'},'spec':{'containers':["
                        + (main + "],'initContainers':[" + init + "]}}")))
            .gpu();

    assertThat(request.gpus()).isEqualTo(gpus);
    assertThat(request.container()).isEqualTo("main");
  }

  @Test
  void readsAnInitContainerThatAloneAsksForAGpu() {
    JsonNode pod =
        json(
            "{'spec':{'containers':[{'name':'main'}],'initContainers':[{'name':'convert',"
                + "'resources':{'requests':{'nvidia.com/gpu':'1'}}}]}}");

    assertThat(colocatable(pod).gpu().container()).isEqualTo("convert");
    assertThat(colocatable(pod).pod()).hasToString("team-a/(unnamed)");
  }

  @Test
  void leavesMigInstancesAlone() {
    String containers = "[{'name':'c','resources':{'limits':{'nvidia.com/mig-1g.10gb':'1'}}}]";

    assertThat(read(pod(NO_ANNOTATIONS, containers)))
        .isEqualTo(new PodRequest.MigInstance("c", "nvidia.com/mig-1g.10gb", OptionalInt.of(0)));
  }

  @Test
  void heedsTheOptOutBeforeAnythingElseOfAGpuPod() {
    JsonNode pod =
        json(
            "{'metadata':{'labels':{'cotenant.dev/colocation':'disabled'},"
                + "'annotations':{'cotenant.dev/batch-size':'-1'}},'spec':{'containers':"
                + "[{'name':'c','resources':{'limits':{'nvidia.com/gpu':'1'}}}]}}");

    assertThat(read(pod)).isEqualTo(new PodRequest.OptedOut(OptionalInt.of(1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'nvidia.com/gpu':'2'; 2",
        "'nvidia.com/gpu':'2','aliyun.com/gpu-mem':'9'; ",
        "'nvidia.com/gpu':'1','nvidia.com/mig-1g.10gb':'1'; 1"
      })
  void countsTheGpusOfAPodThatOptedOut(String limits, @Nullable Integer gpus) {
    JsonNode pod =
        json(
            "{'metadata':{'labels':{'cotenant.dev/colocation':'disabled'}},'spec':{'containers':"
                + "[{'name':'c','resources':{'limits':{"
                + limits
                + "}}}]}}");

    assertThat(read(pod))
        .isEqualTo(
            new PodRequest.OptedOut(gpus == null ? OptionalInt.empty() : OptionalInt.of(gpus)));
  }

  @Test
  void countsTheGpusOfAPodWithABadAnnotation() {
    assertThat(read(gpuPod("{'cotenant.dev/batch-size':'-1'}")).gpus()).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'nvidia.com/gpu':'many'",
        "'nvidia.com/gpu':'500m'",
        "'nvidia.com/gpu':'-1'",
        "'nvidia.com/gpu':'9e99'",
        "'nvidia.com/gpu':1e400",
        "'nvidia.com/gpu':'1','nvidia.com/gpumem':'9E'",
        "'nvidia.com/gpu':'1','nvidia.com/gpucores':'101'",
        "'koordinator.sh/gpu':'50.5'"
      })
  void namesABadResource(String limits) {
    PodRequest.Invalid invalid =
        (PodRequest.Invalid)
            read(pod(NO_ANNOTATIONS, "[{'name':'c','resources':{'limits':{" + limits + "}}}]"));

    assertThat(invalid.problems()).hasSize(1);
    assertThat(invalid.problems().getFirst()).contains(" of c is \"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'volcano.sh/vgpu-number':'1','koordinator.sh/gpu':'200'; volcano.sh/vgpu-number,"
            + " koordinator.sh/gpu; VOLCANO and KOORDINATOR",
        "'nvidia.com/gpu':'1','nvidia.com/gpucores':'30','aliyun.com/gpu-mem':'9';"
            + " aliyun.com/gpu-mem, nvidia.com/gpucores; GPUSHARE and HAMI",
        "'nvidia.com/gpu':'8','aliyun.com/gpu-count':'1';"
            + " aliyun.com/gpu-count, nvidia.com/gpu; GPUSHARE and NVIDIA",
        "'nvidia.com/gpu':'1','volcano.sh/vgpu-memory':'3000';"
            + " volcano.sh/vgpu-memory, nvidia.com/gpu; VOLCANO and NVIDIA",
        "'nvidia.com/gpu.shared':'1','koordinator.sh/gpu':'50';"
            + " koordinator.sh/gpu, nvidia.com/gpu.shared; KOORDINATOR and NVIDIA"
      })
  void refusesAContainerThatAsksInTwoDialects(String limits, String requested, String dialects) {
    PodRequest.Invalid invalid =
        (PodRequest.Invalid)
            read(pod(NO_ANNOTATIONS, "[{'name':'c','resources':{'limits':{" + limits + "}}}]"));

    assertThat(invalid.problems())
        .containsExactly(
            "resources of c is \""
                + requested
                + "\": must be in one GPU dialect, not in "
                + dialects);
  }

  @Test
  void showsHostileValuesOnOneShortLine() {
    JsonNode pod = gpuPod("{'cotenant.dev/model':'" + "x\\n\\u202e".repeat(1000) + "'}");

    String problem = ((PodRequest.Invalid) read(pod)).problems().getFirst();

    assertThat(problem).hasSizeLessThan(500).contains("x\\u000a\\u202e").doesNotContain("\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{'metadata':[]}",
        "{'spec':{'containers':{}}}",
        "{'spec':{'containers':[1]}}",
        "{'spec':{'containers':[{'resources':'all'}]}}",
        "{'spec':{'containers':[{'resources':{'limits':{'nvidia.com/gpu':{}}}}]}}",
        "{'metadata':{'annotations':{'gpu-fraction':1}},'spec':{'containers':[{}]}}"
      })
  void refusesWhatIsNoPod(String pod) {
    assertThatThrownBy(() -> read(json(pod)))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("malformed-pod"));
  }

  @Test
  void findsTheNodeThatThePodSelectsAndWhatItCannotCheck() {
    JsonNode pod =
        json(
            "{'metadata':{'annotations':{'nvidia.com/use-gputype':'A100'}},"
                + "'spec':{'nodeSelector':{'disk':'ssd','kubernetes.io/hostname':'gpu-2'},"
                + "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{}}},"
                + "'containers':[{'resources':{'limits':{'nvidia.com/gpu':'1'}}}]}}");

    assertThat(colocatable(pod).nodes())
        .isEqualTo(
            new NodeConstraints(
                "gpu-2", List.of("nodeSelector disk", "nvidia.com/use-gputype", "node affinity")));
  }

  @Test
  void knowsAPodAgainOnceItsNameIsMade() {
    PodIdentity early = new PodIdentity("team-a", null, "tune-");

    assertThat(early.mayBecome(new PodIdentity("team-a", "tune-x", "tune-"))).isTrue();
    assertThat(early.mayBecome(new PodIdentity("team-b", "tune-x", "tune-"))).isFalse();
    assertThat(early.mayBecome(new PodIdentity("team-a", "other", null))).isFalse();
    assertThat(early).hasToString("team-a/tune-*");
  }

  private static @Nullable MemorySize memoryOf(GpuRequest request) {
    @Nullable DeclaredMemory memory = request.memory();
    return memory == null ? null : memory.on(MemorySize.ofMiB(40_000));
  }

  private PodRequest read(JsonNode pod) {
    return reader.read(pod, "team-a");
  }

  private Colocatable colocatable(JsonNode pod) {
    return (Colocatable) read(pod);
  }
}
