package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects that create pods: a resnet50 at batch 64 needs at most 8 GiB in 99 % of cases. */
class FillTemplateTest {
  private static final String MODEL =
      "'cotenant.dev/model':'resnet50','cotenant.dev/batch-size':'64'";
  private static final String GPU = "'resources':{'limits':{'nvidia.com/gpu':'1'}}";
  private static final String TEMPLATE =
      "{'metadata':{'annotations':{%s}},'spec':{'containers':[{'name':'node',%s}]}}"
          .formatted(MODEL, GPU);
  private static final JsonNode OUT_OF_MEMORY =
      Bench.json(
          "{'containerStatuses':[{'name':'node','state':{'terminated':"
              + "{'exitCode':1,'message':'CUDA out of memory'}}}]}");
  private static final String LIMITS = "/spec/containers/0/resources/limits";
  private static final String GPUMEM = LIMITS + "/nvidia.com~1gpumem";

  private static Bench bench(Mode mode, GpuDialect target, Filling.Scope scope) {
    Policy policy =
        Policy.DEFAULT
            .with(copy -> copy.mode = mode)
            .with(copy -> copy.filling = new Filling(target, 2, scope));
    return new Bench(TestClusters.empty(), policy);
  }

  private static Bench bench() {
    return bench(Mode.FILL, GpuDialect.HAMI, Filling.Scope.TEMPLATES);
  }

  private static JsonNode job(String more) {
    return Bench.json(
        "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'train'},'spec':{%s'template':%s}}"
            .formatted(more, TEMPLATE));
  }

  private static JsonNode jobSet() {
    return Bench.json(
        """
        {'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','metadata':{'name':'train'},
         'spec':{'suspend':true,'replicatedJobs':[
          {'name':'launcher','template':{'spec':{'template':{'spec':{'containers':[{'name':'l'}]}}}}},
          {'name':'workers','replicas':2,'template':{'spec':{'parallelism':3,'completions':3,
           'template':%s}}}]}}
        """
            .formatted(TEMPLATE));
  }

  private static JsonNode trainJob() {
    return Bench.json(
        """
        {'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob',
         'metadata':{'name':'train','annotations':{%s,'other':'x'}},
         'spec':{'runtimeRef':{'name':'torch-distributed'},'suspend':true,
          'trainer':{'image':'train:1','args':['--fast'],'numNodes':4,
           'resourcesPerNode':{'limits':{'nvidia.com/gpu':'1'}}}}}
        """
            .formatted(MODEL));
  }

  /** A review as the API server sends it for an object of a kind. */
  private static JsonNode review(String operation, JsonNode object) {
    ObjectNode review = PodReviews.creating(object).deepCopy();
    ObjectNode request = (ObjectNode) review.path("request");
    String[] version = object.path("apiVersion").asText().split("/", -1);
    request
        .put("operation", operation)
        .putObject("kind")
        .put("group", version[0])
        .put("version", version[1])
        .set("kind", object.path("kind"));
    if (operation.equals("UPDATE")) {
      request.set("oldObject", object);
    }
    return review;
  }

  private static JsonNode filled(Bench bench, JsonNode object) {
    return PatchedPod.of(object, Bench.patch(bench.mutate(review("CREATE", object))));
  }

  private static JsonNode podOf(JsonNode template) {
    ObjectNode pod = template.deepCopy();
    ((ObjectNode) pod.path("metadata")).put("generateName", "train-");
    return pod;
  }

  /**
   * What Kueue charges for a pod set: requests, or limits where there are none
   * (UseLimitsAsMissingRequestsInPod), of all containers, for each pod.
   */
  private static long charged(JsonNode template, String resource, int pods) {
    long one = 0;
    for (JsonNode container : template.at("/spec/containers")) {
      JsonNode requests = container.at("/resources/requests").path(resource);
      JsonNode limits = container.at("/resources/limits").path(resource);
      one += (requests.isMissingNode() ? limits : requests).asLong();
    }
    return one * pods;
  }

  @Test
  void aJobIsChargedWhatItsPodsWillRequest() {
    JsonNode job = filled(bench(), job("'parallelism':3,'completions':3,'suspend':true,"));
    JsonNode template = job.at("/spec/template");

    assertThat(charged(template, "nvidia.com/gpumem", 3)).isEqualTo(3 * 8192);
    JsonNode pod = podOf(template);
    assertThat(charged(filledPod(bench(), pod), "nvidia.com/gpumem", 3)).isEqualTo(3 * 8192);
    assertThat(job.at("/spec/suspend").asBoolean()).isTrue();
  }

  private static JsonNode filledPod(Bench bench, JsonNode pod) {
    return PatchedPod.of(pod, Bench.patch(bench.mutate(PodReviews.creating(pod))));
  }

  @Test
  void aJobSetIsFilledByReplicatedJob() {
    Bench bench = bench();
    JsonNode jobSet = filled(bench, jobSet());
    JsonNode workers = jobSet.at("/spec/replicatedJobs/1/template/spec/template");

    assertThat(charged(workers, "nvidia.com/gpumem", 2 * 3)).isEqualTo(6 * 8192);
    assertThat(jobSet.at("/spec/replicatedJobs/0"))
        .isEqualTo(jobSet().at("/spec/replicatedJobs/0"));
    assertThat(bench.fills).extracting(FillReport::outcome).containsExactly("filled");
    assertThat(bench.outcome().getClass().getSimpleName()).isEqualTo("Filled");
  }

  @Test
  void aTrainJobIsFilledWhereItReplacesResources() {
    JsonNode trainJob = filled(bench(), trainJob());

    assertThat(trainJob.at("/spec/trainer/resourcesPerNode/limits").toString())
        .isEqualTo("{\"nvidia.com/gpu\":\"1\",\"nvidia.com/gpumem\":\"8192\"}");
    assertThat(trainJob.at("/spec/trainer/args")).isEqualTo(trainJob().at("/spec/trainer/args"));
    assertThat(trainJob.at("/metadata/annotations/cotenant.dev~1filled").asText())
        .contains("\"template\":true");
    assertThat(trainJob.at("/metadata/annotations/other").asText()).isEqualTo("x");
    ObjectNode plain = trainJob().deepCopy();
    ((ObjectNode) plain.path("spec")).remove("trainer");
    assertThat(filled(bench(), plain)).isEqualTo(plain);
  }

  /** As Trainer makes it: {@code spec.annotations} are those of the JobSet, not of its pods. */
  private static JsonNode jobSetOf(JsonNode trainJob) {
    ObjectNode jobSet = jobSet().deepCopy();
    ((ObjectNode) jobSet.path("metadata"))
        .set("annotations", trainJob.at("/spec/annotations").deepCopy());
    ObjectNode template = (ObjectNode) jobSet.at("/spec/replicatedJobs/1/template/spec/template");
    ((ObjectNode) template.path("metadata")).remove("annotations");
    ((ObjectNode) template.at("/spec/containers/0"))
        .set("resources", trainJob.at("/spec/trainer/resourcesPerNode").deepCopy());
    return jobSet;
  }

  @Test
  void killsOfATrainJobsPodsCount() {
    Bench bench = bench();
    JsonNode trainJob = filled(bench, trainJob());
    JsonNode jobSet = filled(bench, jobSetOf(trainJob));
    JsonNode template = jobSet.at("/spec/replicatedJobs/1/template/spec/template");

    assertThat(charged(template, "nvidia.com/gpumem", 1)).isEqualTo(8192);
    assertThat(filled(bench, jobSet)).isEqualTo(jobSet);
    assertThat(jobSet.at("/spec/replicatedJobs/0"))
        .as("a template without the record's container")
        .isEqualTo(jobSet().at("/spec/replicatedJobs/0"));
    JsonNode pod = podOf(template);
    assertThat(filledPod(bench, pod)).isEqualTo(pod);

    ObjectNode dead = pod.deepCopy();
    ((ObjectNode) dead.path("metadata")).put("uid", "u1");
    dead.set("status", OUT_OF_MEMORY);
    bench.validate(PodReviews.updating("status", pod, dead));

    assertThat(bench.kills).hasSize(1);
    JsonNode next = filled(bench, trainJob());
    assertThat(next).as("not filled until more is learned").isEqualTo(trainJob());
    assertThat(bench.fills.getLast().outcome()).isEqualTo("killed");
  }

  /** Requests by annotations are those of pods, which a TrainJob does not describe. */
  @Test
  void whatATrainJobCannotSayIsLeftToItsJobSet() {
    Bench kai = bench(Mode.FILL, GpuDialect.KAI, Filling.Scope.TEMPLATES);

    assertThat(filled(kai, trainJob())).isEqualTo(trainJob());
    JsonNode job = filled(kai, job(""));
    assertThat(job.at("/spec/template/metadata/annotations/gpu-memory").asText()).isEqualTo("7168");
    assertThat(job.at("/spec/template" + LIMITS).has("nvidia.com/gpu")).isFalse();
  }

  /** Neither when it is reviewed again, nor when it resumes, nor by its pods. */
  @ParameterizedTest
  @EnumSource(
      value = GpuDialect.class,
      names = {"HAMI", "KAI", "VOLCANO", "KOORDINATOR", "GPUSHARE"})
  void nothingIsFilledTwice(GpuDialect target) {
    for (Mode mode : new Mode[] {Mode.FILL, Mode.CAP}) {
      Bench bench = bench(mode, target, Filling.Scope.TEMPLATES);
      for (JsonNode object : new JsonNode[] {job("'suspend':true,"), jobSet(), trainJob()}) {
        JsonNode once = filled(bench, object);

        assertThat(filled(bench, once)).isEqualTo(once);
        assertThat(Bench.patch(bench.mutate(review("UPDATE", once)))).isEmpty();
      }
      JsonNode pod = podOf(filled(bench, job("")).at("/spec/template"));
      assertThat(filledPod(bench, pod)).isEqualTo(pod);
      assertThat(bench.fills.getLast().outcome()).isEqualTo("stated");
    }
  }

  /** More is known by then: its pods keep what was charged, unless a pod ran out of it. */
  @Test
  void podsOfATemplateKeepWhatWasCharged() {
    Bench bench = bench();
    ObjectNode pod = podOf(filled(bench, job("")).at("/spec/template")).deepCopy();
    ((ObjectNode) pod.at("/metadata/annotations")).put("cotenant.dev/batch-size", "128");

    JsonNode kept = filledPod(bench, pod);
    assertThat(kept.at(GPUMEM).asText()).isEqualTo("8192");
    assertThat(kept).isEqualTo(pod);

    ObjectNode dead = kept.deepCopy();
    ((ObjectNode) dead.path("metadata")).put("uid", "u1");
    dead.set("status", OUT_OF_MEMORY);
    bench.validate(PodReviews.updating("status", kept, dead));

    assertThat(bench.kills).hasSize(1);
    JsonNode next = filledPod(bench, pod);
    assertThat(next.at(GPUMEM).asText()).isEqualTo("12288");
    assertThat(next.at("/metadata/annotations/cotenant.dev~1filled").asText())
        .doesNotContain("\"template\"");
  }

  /** A record that says so is worth what a stated number is: Cap lowers it. */
  @Test
  void aForgedRecordOfATemplateLiftsNoCap() {
    ObjectNode pod = podOf(filled(bench(), job("")).at("/spec/template")).deepCopy();
    ((ObjectNode) pod.at(LIMITS)).put("nvidia.com/gpumem", "30000");
    ObjectNode annotations = (ObjectNode) pod.at("/metadata/annotations");
    annotations.put(
        "cotenant.dev/filled",
        annotations.path("cotenant.dev/filled").asText().replace("8192", "30000"));
    Bench cap = bench(Mode.CAP, GpuDialect.HAMI, Filling.Scope.TEMPLATES);

    JsonNode capped = filledPod(cap, pod);

    assertThat(capped.at(GPUMEM).asText()).isEqualTo("8192");
    assertThat(filledPod(cap, capped)).isEqualTo(capped);
  }

  @Test
  void templatesStayUnlessThePolicySaysSo() {
    for (Bench bench :
        new Bench[] {
          bench(Mode.FILL, GpuDialect.HAMI, Filling.Scope.PODS),
          bench(Mode.SHADOW, GpuDialect.HAMI, Filling.Scope.TEMPLATES),
          bench(Mode.ENFORCE, GpuDialect.HAMI, Filling.Scope.TEMPLATES)
        }) {
      assertThat(filled(bench, job(""))).isEqualTo(job(""));
      assertThat(bench.fills).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'apiVersion':'batch/v1','kind':'Job'}",
        "{'apiVersion':'batch/v1','kind':'Job','spec':7}",
        "{'apiVersion':'batch/v1','kind':'Job','spec':{'template':{'metadata':3,'spec':{'containers':[]}}}}",
        "{'apiVersion':'jobset.x-k8s.io/v1alpha2','kind':'JobSet','spec':{'replicatedJobs':{'a':{}}}}",
        "{'apiVersion':'trainer.kubeflow.org/v1alpha1','kind':'TrainJob','spec':{'trainer':{'resourcesPerNode':[1]}}}",
        "{'apiVersion':'apps/v1','kind':'Deployment','spec':{'template':{}}}"
      })
  void whatIsNotOfItsFormIsLetThrough(String object) {
    JsonNode response = bench().mutate(review("CREATE", Bench.json(object)));

    assertThat(response.path("allowed").asBoolean()).isTrue();
    assertThat(response.has("patch")).isFalse();
  }

  @Test
  void aTemplateCountsOnce() {
    Bench bench = bench();
    JsonNode once = filled(bench, job(""));
    filled(bench, once);

    assertThat(bench.fills).extracting(FillReport::outcome).containsExactly("filled");
    assertThat(bench.answers).hasSize(2);
  }
}
