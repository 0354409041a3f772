package dev.cotenant.simulator.replay.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.simulator.replay.RecordedJob;
import dev.cotenant.simulator.replay.Recording;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories that are missing, wrong or too much. */
class HostileHistoryTest extends FakeHistory {
  @Test
  void namesTheExportersOfAServerWithoutSeries() {
    assertThatThrownBy(this::read)
        .isInstanceOf(InputException.class)
        .hasMessageContaining("DCGM_FI_DEV_GPU_UTIL")
        .hasMessageContaining("UUID and modelName (dcgm-exporter)")
        .hasMessageContaining("kube_pod_container_resource_requests{resource=\"nvidia_com_gpu\"}")
        .hasMessageContaining("kube-state-metrics");
  }

  @Test
  void makesJobsOfDcgmAloneAndNamesTheMissingExporter() {
    series(utilization(), GPU + "," + pod("a"), constant(10, 30, "40"));
    series(used(), GPU + "," + pod("a"), constant(10, 30, "1000"));
    Recording recording = read();
    assertThat(recording.jobs()).hasSize(1);
    RecordedJob job = recording.jobs().getFirst();
    assertThat(job.times().run()).isEqualTo(Duration.ofMinutes(20));
    assertThat(job.usage().peakMemory()).isEqualTo(MemorySize.ofMiB(1_000));
    assertThat(findings(recording)).anyMatch(text -> text.startsWith("1 job made of DCGM series"));
  }

  @Test
  void namesTheLabelsOfDcgmWherePodsAreUnknown() {
    series(utilization(), GPU, constant(10, 30, "40"));
    series(used(), GPU, constant(10, 30, "1000"));
    assertThatThrownBy(this::read)
        .isInstanceOf(InputException.class)
        .hasMessageContaining("DCGM_FI_DEV_FB_USED with the labels pod and namespace")
        .hasMessageContaining("DCGM_EXPORTER_KUBERNETES=true")
        .hasMessageContaining("kube-state-metrics");
  }

  @Test
  void namesTheSeriesThatAreMissingAndTheirEffect() {
    series(used(), GPU + "," + pod("a"), constant(10, 30, "1000"));
    series("sum by", REQUEST + ",\"node\":\"n\"", constant(10, 30, "1"));
    series(TIMES + "created", KUBERNETES, sample(60, seconds(5)));
    assertThat(findings(read()))
        .contains(
            "1 series missing: DCGM_FI_DEV_GPU_UTIL with the label UUID (dcgm-exporter); every job"
                + " holds whole GPUs under every policy",
            "1 series missing: kube_pod_completion_time of pods with GPUs (kube-state-metrics); the"
                + " last sample counts as the end")
        .noneMatch(text -> text.contains("FB_USED") || text.contains("kube_pod_created"));
  }

  @Test
  void countsPodsWhoseContainersStartedAgain() {
    series(used(), GPU + "," + pod("a"), constant(10, 50, "1000"));
    series("sum by", REQUEST + ",\"node\":\"n\"", constant(10, 50, "1"));
    series(TIMES + "container_status_restarts_total", KUBERNETES, sample(60, "2"));
    Recording recording = read();
    assertThat(recording.jobs()).hasSize(1);
    assertThat(findings(recording))
        .contains("1 pod with containers that started again: one job, measured over all its runs");
  }

  @Test
  void saysThatAServerEndedHalfWay() {
    steady(used(), GPU + "," + pod("a"), 10, 40, "1000");
    answeredQueries = 3;
    assertThatThrownBy(this::read)
        .isInstanceOf(InputException.class)
        .hasMessageContaining("/api/v1/query_range: ")
        .hasMessageNotContaining("shortest");
    assertThat(queries).isEqualTo(4);
  }

  @Test
  void leavesOutSamplesThatAreNone() {
    series(
        used(),
        GPU + "," + pod("a"),
        sample(10, "1000"),
        sample(11, "NaN"),
        sample(12, "-5"),
        sample(13, "9223372036854775794"),
        sample(13, "1200"),
        sample(12, "7"),
        sample(14, "+Inf"),
        sample(14, "99999999999999"),
        sample(15, "1100"),
        sample(600, "5000"));
    series(used(), "\"modelName\":\"x\"", sample(10, "1"), sample(11, "1"));
    Recording recording = read();
    assertThat(recording.jobs().getFirst().usage().peakMemory()).isEqualTo(MemorySize.ofMiB(1_200));
    assertThat(findings(recording))
        .contains(
            "2 samples of NaN or infinity: left out",
            "1 sample with DCGM's blank value: left out",
            "2 samples below zero, above 100 % or above 16 TiB: left out",
            "1 sample of the future: left out; check the clocks",
            "1 sample not later than the one before of the same GPU and pod: left out",
            "2 samples without the label UUID: left out");
  }

  @Test
  void measuresNothingOfPodsThatShareAGpu() {
    for (String name : List.of("a", "b")) {
      series(utilization(), GPU + "," + pod(name), constant(10, 30, "40"));
      series(used(), GPU + "," + pod(name), constant(10, 30, "1000"));
    }
    Recording recording = read();
    assertThat(recording.jobs())
        .hasSize(2)
        .allMatch(job -> job.usage().equals(RecordedJob.Usage.UNKNOWN));
    assertThat(findings(recording)).contains("2 pods beside another pod on one GPU: use unknown");
  }

  @Test
  void takesSamplesWhereTimesOfPodsAreImplausible() {
    series(used(), GPU + "," + pod("a"), constant(10, 30, "1000"));
    String labels = "\"namespace\":\"team\",\"pod\":\"a\",\"uid\":\"1\"";
    series("sum by", labels + ",\"resource\":\"nvidia_com_gpu\"", constant(10, 30, "1"));
    series(
        "max by (namespace, pod, uid, exported_namespace, exported_pod)"
            + " (last_over_time(kube_pod_start_time",
        labels,
        sample(60, "99999999999"));
    series(
        "max by (namespace, pod, uid, exported_namespace, exported_pod)"
            + " (last_over_time(kube_pod_completion_time",
        labels,
        sample(60, "NaN"));
    Recording recording = read();
    assertThat(recording.jobs().getFirst().times().started())
        .isEqualTo(Instant.ofEpochSecond(BEGIN + 600));
    assertThat(recording.jobs().getFirst().times().ended())
        .isEqualTo(Instant.ofEpochSecond(BEGIN + 1_800));
    assertThat(findings(recording))
        .contains("2 values out of range among requests and times of pods: left out");
  }

  private static final String KUBERNETES = "\"namespace\":\"team\",\"pod\":\"a\",\"uid\":\"1\"";
  private static final String REQUEST = KUBERNETES + ",\"resource\":\"nvidia_com_gpu\"";
  private static final String TIMES =
      "max by (namespace, pod, uid, exported_namespace, exported_pod) (last_over_time(kube_pod_";

  private static Instant minute(int minute) {
    return Instant.ofEpochSecond(BEGIN + 60L * minute);
  }

  private static String seconds(int minute) {
    return Long.toString(BEGIN + 60L * minute);
  }

  @Test
  void countsNoPodWithoutANodeAsAJob() {
    series(used(), GPU + "," + pod("b"), constant(10, 30, "1000"));
    series("sum by", REQUEST, constant(1, 60, "1"));
    series(
        "sum by",
        REQUEST.replace("\"a\"", "\"b\"").replace("\"1\"", "\"2\"") + ",\"node\":\"n\"",
        constant(10, 30, "1"));
    Recording recording = read();
    assertThat(recording.jobs()).extracting(job -> job.origin().name()).containsExactly("b");
    assertThat(findings(recording)).contains("1 pod without a node in all this time: left out");
  }

  @Test
  void startsAPodWhenItGetsANode() {
    series(used(), GPU + "," + pod("a"), constant(20, 30, "1000"));
    series("sum by", REQUEST, constant(1, 19, "1"));
    series("sum by", REQUEST + ",\"node\":\"n\"", constant(20, 30, "1"));
    assertThat(read().jobs().getFirst().times().started()).isEqualTo(minute(20));
  }

  @Test
  void runsAPodOnWhoseContainerStartsAgain() {
    series(used(), GPU + "," + pod("a"), constant(10, 50, "1000"));
    series("sum by", REQUEST + ",\"node\":\"n\"", constant(10, 50, "1"));
    series(TIMES + "completion_time", KUBERNETES, constant(20, 21, seconds(20)));
    assertThat(read().jobs().getFirst().times().ended()).isEqualTo(minute(50));
  }

  @Test
  void leavesOutPodsThatHadEndedBefore() {
    series(used(), GPU + "," + pod("b"), constant(10, 30, "1000"));
    series("sum by", REQUEST + ",\"node\":\"n\"", constant(1, 60, "1"));
    series(TIMES + "start_time", KUBERNETES, sample(60, seconds(-30)));
    series(TIMES + "completion_time", KUBERNETES, constant(1, 60, seconds(-5)));
    Recording recording = read();
    assertThat(recording.jobs()).isEmpty();
    assertThat(findings(recording))
        .filteredOn(text -> !text.startsWith("1 series "))
        .containsExactly(
            "1 pod with DCGM series and without a request of nvidia.com/gpu in kube-state-metrics"
                + " (another resource, or none): left out");
  }

  @Test
  void partsSamplesOfOneNameByPods() {
    series(utilization(), GPU + "," + pod("a"), constant(10, 30, "80"));
    series(utilization(), GPU + "," + pod("a"), constant(31, 60, "0"));
    series(used(), GPU + "," + pod("a"), constant(10, 60, "1000"));
    series("sum by", REQUEST + ",\"node\":\"n\"", constant(10, 60, "1"));
    series(TIMES + "start_time", KUBERNETES, sample(60, seconds(10)));
    series(TIMES + "completion_time", KUBERNETES, constant(30, 60, seconds(30)));
    Recording recording = read();
    RecordedJob.Usage usage = recording.jobs().getFirst().usage();
    assertThat(usage.utilization()).isEqualTo(Utilization.ofPercent(80));
    assertThat(findings(recording)).allMatch(text -> text.startsWith("1 series "));
  }

  @Test
  void takesNoExporterForAWorkload() {
    String exporter = "\"namespace\":\"monitoring\",\"pod\":\"dcgm-exporter-x\"";
    series(used(), GPU + "," + exporter + "," + pod("a"), constant(10, 30, "1000"));
    series(used(), GPU + "," + exporter, constant(31, 60, "3"));
    assertThat(read().jobs()).extracting(job -> job.origin().name()).containsExactly("a");
  }

  @Test
  void countsNoGpuOfMigInTheFleet() {
    series(used(), GPU + "," + pod("a"), constant(10, 30, "1000"));
    series(
        used(),
        GPU.replace("GPU-1", "GPU-2") + ",\"GPU_I_ID\":\"3\"," + pod("b"),
        constant(10, 30, "1000"));
    assertThat(read().fleet().values()).containsExactly(1);
  }

  @Test
  void namesOwnersWithoutGeneratedParts() {
    series(used(), GPU + "," + pod("a"), constant(10, 30, "1000"));
    series("sum by", REQUEST + ",\"node\":\"n\"", constant(10, 30, "1"));
    String owners =
        "max by (namespace, pod, uid, exported_namespace, exported_pod, owner_kind, owner_name)";
    series(owners, KUBERNETES + ",\"owner_name\":\"train-resnet50-7d9f8c6b5d\"", sample(60, "1"));
    assertThat(read().jobs().getFirst().origin().configuration()).isEqualTo("team/train-resnet50@");
  }

  @Test
  void halvesQueriesThatAreTooMuch() {
    answeredSteps = 30;
    steady(utilization(), GPU + "," + pod("a"), 10, 40, "40");
    steady(used(), GPU + "," + pod("a"), 10, 40, "1000");
    Recording recording = read();
    assertThat(mostSteps).isGreaterThan(answeredSteps);
    assertThat(recording.jobs()).hasSize(1);
    assertThat(recording.jobs().getFirst().times().run()).isEqualTo(Duration.ofMinutes(30));
    assertThat(recording.jobs().getFirst().usage().utilization())
        .isEqualTo(Utilization.ofPercent(40));
    assertThat(findings(recording)).noneMatch(text -> text.contains("not later"));
  }

  @Test
  void namesTheShortestQueryThatIsTooMuch() {
    answeredSteps = 3;
    assertThatThrownBy(this::read)
        .isInstanceOf(InputException.class)
        .hasMessageContaining("too many samples")
        .hasMessageContaining("steps of 60 s are the shortest that are tried: lengthen the step");
    assertThat(mostSteps).isEqualTo(60);
  }

  @Test
  void triesNothingShorterAfterOtherErrors() {
    answeredSteps = 3;
    tooMuch = "unknown function: max_over_time";
    assertThatThrownBy(this::read)
        .isInstanceOf(InputException.class)
        .hasMessageContaining("unknown function")
        .hasMessageNotContaining("shortest");
  }

  @Test
  void treatsHugeLabelsAsMissing() {
    series(used(), GPU + "," + pod("x".repeat(90_000)), constant(10, 30, "1000"));
    series(used(), GPU + "," + pod("a"), constant(10, 30, "1000"));
    assertThat(read().jobs()).extracting(job -> job.origin().name()).containsExactly("a");
  }

  @Test
  void refusesAMillionSeries() {
    count = 1_000_000;
    assertThatThrownBy(this::read).isInstanceOf(InputException.class).hasMessageContaining("more");
  }

  @Test
  void showsTheErrorOfTheServer() {
    server.removeContext("/api/v1/query_range");
    assertThatThrownBy(this::read).isInstanceOf(InputException.class).hasMessageContaining("404");
  }
}
