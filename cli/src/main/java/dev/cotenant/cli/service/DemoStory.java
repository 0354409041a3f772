package dev.cotenant.cli.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.cli.demo.DemoCluster;
import dev.cotenant.cli.files.PodManifest;
import dev.cotenant.cli.terminal.Console;
import java.io.IOException;

/**
 * How the demo goes on after its table: a pod ends and one that waited gets in; then the life of a
 * training, with half a minute in place of five and a guard of one minute in place of five.
 */
final class DemoStory {
  private static final String ENDING = "team-d/simulation";
  private static final String WAITING = "team-a/densenet121-big-batch";
  private static final String FIRST = "team-e/digits-1";
  private static final String SECOND = "team-e/digits-2";
  private static final String THIRD = "team-e/digits-3";
  private static final String NODE = "gpu-8";
  private static final String TIMES = "30 s of 5 min";

  private final Console console;
  private final DemoCluster cluster;
  private final DemoPods pods;

  DemoStory(Console console, DemoCluster cluster, DemoPods pods) {
    this.console = console;
    this.cluster = cluster;
    this.pods = pods;
  }

  void play() throws IOException, InterruptedException {
    aPodEndsAndAnotherGetsIn();
    aTrainingIsMeasuredAlone();
    aNeighbourJoins();
    theGuardActs();
  }

  private void aPodEndsAndAnotherGetsIn() throws IOException, InterruptedException {
    pods.end(ENDING);
    JsonNode grant = pods.running(WAITING).at("/decision/grants/0");
    console.line(
        ENDING + " has ended: " + WAITING + " waited and runs now, " + DemoReport.where(grant));
  }

  private void aTrainingIsMeasuredAlone() throws IOException, InterruptedException {
    cluster.joinLike(NODE, "gpu-2");
    pods.create(training(FIRST));
    JsonNode grant = pods.running(FIRST).at("/decision/grants/0");
    console.line(
        FIRST
            + " is unknown and runs alone, "
            + DemoReport.where(grant)
            + ", to be measured ("
            + TIMES
            + ")");
    pods.create(training(SECOND));
    JsonNode waiting = pods.decided(SECOND);
    console.line(SECOND + ", the same, waits: " + waiting.at("/decision/reasons/0/code").asText());
  }

  private void aNeighbourJoins() throws IOException, InterruptedException {
    JsonNode known = pods.await(FIRST, it -> it.at("/profiling/state").asText().equals("known"));
    console.line(
        FIRST
            + " is known now: "
            + DemoReport.utilization(known.at("/prediction/utilization_percent"))
            + ", "
            + DemoReport.memory(known.at("/prediction/peak_memory_bytes"))
            + " were measured");
    JsonNode grant = pods.running(SECOND).at("/decision/grants/0");
    console.line(
        SECOND
            + " joins it, "
            + DemoReport.where(grant)
            + ", with "
            + String.join(", ", pods.neighbours(SECOND, grant.path("gpu").asText())));
  }

  private void theGuardActs() throws IOException, InterruptedException {
    console.line(FIRST + ": " + pods.event(FIRST, "ObjectiveViolated"));
    pods.gone(SECOND);
    console.line(
        "the guard has evicted " + SECOND + ", which came last; its Job makes another pod");
    pods.create(training(THIRD));
    JsonNode waiting = pods.decided(THIRD);
    console.line(THIRD + " waits: " + waiting.at("/decision/reasons/0/code").asText());
    pods.end(FIRST);
    pods.running(THIRD);
    console.line(FIRST + " has ended: " + THIRD + " runs");
  }

  private static PodManifest training(String pod) {
    ObjectNode manifest = JsonNodeFactory.instance.objectNode();
    manifest.put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode metadata = manifest.putObject("metadata");
    metadata.put("namespace", "team-e").put("name", pod.substring(pod.indexOf('/') + 1));
    metadata
        .putObject("annotations")
        .put(CotenantAnnotations.MODEL, "resnet18")
        .put(CotenantAnnotations.BATCH_SIZE, "4")
        .put(CotenantAnnotations.MODE, "training")
        .put(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)")
        .put(CotenantAnnotations.ON_SLOWDOWN, "evict");
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "batch/v1")
        .put("kind", "Job")
        .put("name", "digits")
        .put("uid", "5f3a0000-0000-4000-8000-00000000d191")
        .put("controller", true);
    ObjectNode spec = manifest.putObject("spec");
    spec.putObject("nodeSelector").put("kubernetes.io/hostname", NODE);
    ObjectNode container = spec.putArray("containers").addObject();
    container.put("name", "main").put("image", "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime");
    container.withObject("/resources/limits").put("nvidia.com/gpu", "1");
    return new PodManifest(manifest);
  }
}
