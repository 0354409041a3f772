package dev.cotenant.engine.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.engine.Engine;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.Service;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FleetReaderTest {
  private static final Engine ENGINE = Engine.standard();
  private static final Path MODELS =
      Path.of(System.getProperty("cotenant.root"), "examples/models");
  private static final String V100 = "devices: [{id: v100}]";
  private static final String SERVED =
      "{name: w, profile: resnet50, slo_latency_ms: 40, request_rate_per_second: 200}";

  private static FleetPlanRequest read(String json) {
    FleetDocument document =
        FleetDocument.of(quoted(json).getBytes(StandardCharsets.UTF_8), "plan.yaml");
    ModelSource models =
        (model, batch) -> ENGINE.inspect(MODELS.resolve(model + ".onnx"), batch, Map.of());
    return new FleetReader(ENGINE, ProfileBook.builtIn(), models, "plan.yaml").read(document);
  }

  /** Flow YAML as JSON: bare words get quotes. */
  private static String quoted(String text) {
    String words = text.replaceAll("((?<![0-9])[A-Za-z_][A-Za-z0-9_-]*)", "\"$1\"");
    return "{" + words.replace("\"null\"", "null") + "}";
  }

  @Test
  void readsServicesWithTheirProfiles() {
    FleetPlanRequest request = read(V100 + ", workloads: [" + SERVED + "], arrivals: constant");

    assertThat(request.refused()).isEmpty();
    assertThat(request.notes()).isEmpty();
    DeviceType type = request.fleet().devices().getFirst();
    assertThat(type.pricePerHour()).isEqualTo(1);
    assertThat(type.maxCount()).isEqualTo(Integer.MAX_VALUE);
    assertThat(type.profile()).isEqualTo(ProfileBook.builtIn().requireDevice("v100-16gb"));
    Service service = request.fleet().services().getFirst();
    assertThat(service.profiles().get("v100"))
        .isEqualTo(ProfileBook.builtIn().workload("resnet50").orElseThrow());
    assertThat(request.fleet().arrivals()).isEqualTo(Arrivals.CONSTANT);
  }

  @Test
  void arrivalsArePoissonWhereNotSaid() {
    assertThat(read(V100 + ", workloads: [" + SERVED + "]").fleet().arrivals())
        .isEqualTo(Arrivals.POISSON);
  }

  @Test
  void guessesModelsFromTheirGraphsAndSaysSo() {
    FleetPlanRequest request =
        read(
            "devices: [{id: v100}, {id: a100-40gb}], workloads: [{name: w, model: resnet50,"
                + " slo_latency_ms: 40, request_rate_per_second: 200}]");

    Service service = request.fleet().services().getFirst();
    assertThat(service.profiles()).containsOnlyKeys("v100", "a100-40gb");
    assertThat(service.memoryAt(1)).isLessThan(service.memoryAt(8));
    assertThat(service.memoryAt(8)).isLessThan(service.memoryAt(32));
    assertThat(service.memory()).isEqualTo(service.memoryAt(32));
    assertThat(request.notes())
        .containsExactly(
            "a100-40gb was never profiled: a V100's interference coefficients stand in",
            "w was never profiled: its times are predicted from its graph, and at most 1.35 times"
                + " as long in 90 % of cases");
    // A faster device has a shorter active time.
    double slow = millis(service, "v100");
    assertThat(millis(service, "a100-40gb")).isLessThan(slow);
  }

  private static double millis(Service service, String device) {
    return Objects.requireNonNull(service.profiles().get(device)).activeTime().millis(8, 100);
  }

  @Test
  void predictsJobsOnEveryDevice() {
    FleetPlanRequest request =
        read(
            "devices: [{id: a100-40gb}, {id: rtx-2080ti}], jobs: [{name: j, model: resnet18,"
                + " batch_size: 32, mode: training, duration_minutes: 40, memory_gib: 6.5}]");

    Job job = request.fleet().jobs().getFirst();
    assertThat(job.duration()).isEqualTo(Duration.ofMinutes(40));
    assertThat(job.requested()).isEqualTo(MemorySize.ofMiB(6656));
    assertThat(job.predictions()).containsOnlyKeys("a100-40gb", "rtx-2080ti");
  }

  @Test
  void asksForTheUpperBoundWhereTheOwnerSaysNothing() {
    Job job =
        read("devices: [{id: a100-40gb}], jobs: [{name: j, model: resnet18}]")
            .fleet()
            .jobs()
            .getFirst();

    assertThat(job.requested())
        .isGreaterThan(Objects.requireNonNull(job.predictions().get("a100-40gb")).peakMemory());
    assertThat(job.duration()).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void readsGivenPartitionsInThousandths() {
    FleetPlanRequest request =
        read(
            V100
                + ", workloads: ["
                + SERVED
                + "], placement: [{gpu: 0, workload: w, share_percent: 32.5}]");

    assertThat(request.fleet().placement())
        .containsExactly(new FixedShare(0, "w", Share.ofPercent(32.5)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          slo_latency_ms: 0, request_rate_per_second: 1, profile: ssd    | latency objective of workload 'bad' must be above 0
          slo_latency_ms: 9, request_rate_per_second: 0, profile: ssd    | request rate of workload 'bad' must be above 0
          slo_latency_ms: 9, request_rate_per_second: -5, profile: ssd   | request rate of workload 'bad' must be above 0
          slo_latency_ms: 1e999, request_rate_per_second: 1, profile: ssd | latency objective of workload 'bad' must be above 0
          request_rate_per_second: 1, profile: ssd                       | plan.yaml: bad: 'slo_latency_ms' is missing
          slo_latency_ms: 9, profile: ssd                                | plan.yaml: bad: 'request_rate_per_second' is missing
          slo_latency_ms: 9, request_rate_per_second: 1                  | plan.yaml: bad: give either 'profile' or 'model'
          slo_latency_ms: 9, request_rate_per_second: 1, profile: a, model: b | plan.yaml: bad: give either 'profile' or 'model'
          slo_latency_ms: 9, request_rate_per_second: 1, profile: nobody | there is no profile 'nobody'; those known are alexnet, resnet50, ssd, vgg19
          slo_latency_ms: 9, request_rate_per_second: 1, model: nobody   | nobody.onnx
          slo_latency_ms: 9, request_rate_per_second: 1, profile: ssd, memory_gib: -1 | 'memory_gib' must be from 0 to 16384, is -1.0
          slo_latency_ms: 9, request_rate_per_second: 1, profile: ssd, memory_gib: 1, memory_by_batch: [{batch: 1, memory_gib: 1}] | give either 'memory_gib' or 'memory_by_batch'
          slo_latency_ms: 9, request_rate_per_second: 1, profile: ssd, memory_by_batch: [] | 'memory_by_batch' must have from 1 to 64 batches
          slo_latency_ms: 9, request_rate_per_second: 1, profile: ssd, memory_by_batch: [null] | 'memory_by_batch[0]' needs batch and memory_gib
          slo_latency_ms: 9, request_rate_per_second: 1, profile: ssd, memory_by_batch: [{batch: 1, memory_gib: -1}] | 'memory_by_batch[0].memory_gib' must be from 0 to 16384, is -1.0
          slo_latency_ms: 9, request_rate_per_second: 1, profile: ssd, memory_by_batch: [{batch: 0, memory_gib: 1}] | 'memory_by_batch[0].batch' must be from 1 to 65536 and stated once, is 0
          slo_latency_ms: 9, request_rate_per_second: 1, profile: ssd, memory_by_batch: [{batch: 1, memory_gib: 1}, {batch: 1, memory_gib: 2}] | 'memory_by_batch[1].batch' must be from 1 to 65536 and stated once, is 1
          slo_latency_ms: 9, request_rate_per_second: 1, profile: ssd, memory_by_batch: [{batch: 1, memory_gib: 2}, {batch: 8, memory_gib: 1}] | 'memory_by_batch': Memory by batch has 1 GiB at batch 8, less than
          """)
  void refusesABadWorkloadByNameAndGoesOnWithTheOthers(String fields, String problem) {
    FleetPlanRequest request =
        read(V100 + ", workloads: [{name: bad, " + fields + "}, " + SERVED + "]");

    assertThat(request.fleet().services()).extracting(Service::name).containsExactly("w");
    assertThat(request.refused()).hasSize(1);
    assertThat(request.refused().getFirst().name()).isEqualTo("bad");
    assertThat(request.refused().getFirst().problem()).contains(problem).doesNotContain("\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          workloads: []                                   | plan.yaml: devices: name at least one device to plan on
          devices: [], workloads: []                      | plan.yaml: devices: name at least one device to plan on
          devices: [{id: v100}]                           | there is nothing to plan
          devices: [null], workloads: []                  | devices[0]: is missing
          devices: [{price_per_hour: 1}]                  | devices[0].id: is missing
          devices: [{id: abacus}]                         | abacus
          devices: [{id: v100, price_per_hour: -1}]       | price of device 'v100' must be at least 0
          devices: [{id: v100, max_count: 0}]             | count of device 'v100' must be at least 1
          devices: [{id: v100, max_count: 1.5}]           | devices[0].max_count: must be a whole number
          devices: [{id: v100}, {id: v100}]               | the device 'v100' is listed twice
          devices: [{id: v100}], workloads: [null]        | workloads[0]: is missing
          devices: [{id: v100}], workloads: [{}]          | workloads[0].name: is missing
          devices: [{id: v100}], workloads: {}            | workloads: must be a list
          devices: [{id: v100}], workloads: [{nmae: w}]   | workloads[0].nmae: there is no such key
          devices: [{id: v100}], jobs: [{name: j}, {name: j}] | 'j' is listed twice
          devices: 7                                      | devices: must be a list
          """)
  void refusesADocumentThatSaysNothingOfUse(String document, String problem) {
    assertThatThrownBy(() -> read(document))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {gpu: -1, workload: w, share_percent: 10}   | placement[0].gpu: must be at least 0, is -1
          {gpu: 0, workload: v, share_percent: 10}    | there is no workload 'v'
          {gpu: 0, workload: w, share_percent: 0}     | from 0.1 to 100 in steps of 0.1
          {gpu: 0, workload: w, share_percent: 101}   | from 0.1 to 100 in steps of 0.1
          {gpu: 0, workload: w, share_percent: 0.25}  | from 0.1 to 100 in steps of 0.1
          {gpu: 0, workload: w}                       | placement[0].share_percent: is missing
          """)
  void refusesPartitionsThatCannotBe(String share, String problem) {
    assertThatThrownBy(
            () -> read(V100 + ", workloads: [" + SERVED + "], placement: [" + share + "]"))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void refusesArrivalsThatItDoesNotKnow() {
    assertThatThrownBy(() -> read(V100 + ", workloads: [" + SERVED + "], arrivals: weekly"))
        .hasMessageContaining("must be constant or poisson, is 'weekly'");
  }

  @Test
  void readsMeasuredMemoryByBatch() {
    String memory = ", memory_by_batch: [{batch: 32, memory_gib: 9}, {batch: 2, memory_gib: 1.5}]}";
    Service service =
        read(V100 + ", workloads: [" + SERVED.replace("}", memory) + "]")
            .fleet()
            .services()
            .getFirst();

    assertThat(service.memoryAt(2)).isEqualTo(MemorySize.ofMiB(1536));
    assertThat(service.memoryAt(17)).isEqualTo(MemorySize.ofMiB(5376));
    assertThat(service.memory()).isEqualTo(MemorySize.ofGiB(9));
  }

  @Test
  void aGuessedServiceTakesMemoryAsItsOwnerSays() {
    Service service =
        read(V100
                + ", workloads: [{name: w, model: resnet50, slo_latency_ms: 40,"
                + " request_rate_per_second: 2, memory_gib: 3}]")
            .fleet()
            .services()
            .getFirst();

    assertThat(Objects.requireNonNull(service.memory()).bytes() / (double) (1L << 30))
        .isCloseTo(3, within(1e-9));
  }
}
