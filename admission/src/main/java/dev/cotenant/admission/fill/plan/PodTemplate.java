package dev.cotenant.admission.fill.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.pod.CotenantAnnotations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * One template of an object that creates pods, in the object's JSON. Queues such as Kueue charge
 * templates before there are pods.
 *
 * <p>A Job has one template, a JobSet one per replicated job. A TrainJob [trainer.kubeflow.org] has
 * none: {@code spec.trainer} replaces image, command, arguments and resources of the container
 * {@code node} of its runtime, and {@code spec.annotations} become those of its JobSet. By these
 * the record reaches the pods, whose lack of memory counts.
 */
public sealed interface PodTemplate {
  /** Kinds with templates, as reviews name them, and where these are; {@code *} is any element. */
  Map<String, List<String>> PATHS =
      Map.of(
          "batch/v1/Job", List.of("spec", "template"),
          "jobset.x-k8s.io/v1alpha2/JobSet",
              List.of("spec", "replicatedJobs", "*", "template", "spec", "template"));

  /** Pointer to the annotations of an object. */
  String ANNOTATIONS = "/metadata/annotations";

  /** The kind of a TrainJob. */
  String TRAIN_JOB = "trainer.kubeflow.org/v1alpha1/TrainJob";

  /** The pod that the template creates. */
  ObjectNode pod();

  /** Copies the filled values from the pod. */
  void take(JsonNode filled);

  /** Whether annotations of the pod can be written, by which some dialects request. */
  boolean hasAnnotations();

  /** Whether objects of a kind have templates. */
  static boolean isIn(String kind) {
    return PATHS.containsKey(kind) || kind.equals(TRAIN_JOB);
  }

  /** The templates of an object, which {@link #take} changes; none where it has no such part. */
  static List<PodTemplate> of(String kind, ObjectNode object) {
    List<PodTemplate> templates = new ArrayList<>();
    if (kind.equals(TRAIN_JOB) && object.at("/spec/trainer") instanceof ObjectNode trainer) {
      templates.add(new OfTrainer(object, trainer));
    }
    if (PATHS.containsKey(kind)) {
      descend(object, PATHS.get(kind), template -> new OfPods(template, object), templates);
    }
    return templates;
  }

  private static void descend(
      JsonNode node,
      List<String> path,
      Function<ObjectNode, PodTemplate> made,
      List<PodTemplate> templates) {
    if (path.isEmpty()) {
      if (node instanceof ObjectNode template) {
        templates.add(made.apply(template));
      }
    } else if (path.getFirst().equals("*")) {
      node.forEach(element -> descend(element, path.subList(1, path.size()), made, templates));
    } else {
      descend(node.path(path.getFirst()), path.subList(1, path.size()), made, templates);
    }
  }

  /** An object's annotations under our prefix. */
  private static Map<String, JsonNode> ours(JsonNode annotations) {
    Map<String, JsonNode> ours = new TreeMap<>();
    annotations.properties().stream()
        .filter(one -> one.getKey().startsWith(CotenantAnnotations.PREFIX))
        .forEach(one -> ours.put(one.getKey(), one.getValue()));
    return ours;
  }

  /**
   * A PodTemplateSpec.
   *
   * @param object that it is in; a JobSet that a TrainJob was made into has the TrainJob's {@code
   *     spec.annotations}
   */
  record OfPods(ObjectNode template, ObjectNode object) implements PodTemplate {
    @Override
    public ObjectNode pod() {
      ObjectNode pod = template.deepCopy();
      if (!(pod.path("metadata") instanceof ObjectNode)) {
        pod.putObject("metadata");
      }
      if (isFilledByTrainJob()) {
        ObjectNode annotations =
            pod.withObjectProperty("metadata").withObjectProperty("annotations");
        ours(object.at(ANNOTATIONS)).forEach(annotations::putIfAbsent);
      }
      return pod;
    }

    /** Whether the TrainJob's record of filling matches this template. */
    private boolean isFilledByTrainJob() {
      return !template.at(ANNOTATIONS).has(CotenantAnnotations.FILLED)
          && FillRecord.of(object)
              .filter(record -> record.ofTemplate() && record.isIn(template))
              .isPresent();
    }

    @Override
    public void take(JsonNode filled) {
      filled
          .properties()
          .forEach(field -> {
            if (!field.getValue().isEmpty() || template.has(field.getKey())) {
              template.set(field.getKey(), field.getValue());
            }
          });
    }

    @Override
    public boolean hasAnnotations() {
      return true;
    }
  }

  /** The part of a TrainJob that replaces parts of its runtime's container. */
  record OfTrainer(ObjectNode object, ObjectNode trainer) implements PodTemplate {
    private static final String CONTAINER = "node";
    private static final String RESOURCES = "resourcesPerNode";
    private static final Set<String> ALIKE = Set.of("image", "command", "args", "env");

    /** What is written into annotations. */
    private static final List<String> WRITTEN =
        List.of(CotenantAnnotations.FILLED, CotenantAnnotations.ENGINE_BUDGET);

    /** With the TrainJob's own annotations of ours, for its pods have others. */
    @Override
    public ObjectNode pod() {
      ObjectNode pod = JsonNodeFactory.instance.objectNode();
      ObjectNode annotations = pod.putObject("metadata").putObject("annotations");
      ours(object.at(ANNOTATIONS)).forEach(annotations::set);
      ObjectNode container = pod.putObject("spec").putArray("containers").addObject();
      container.put("name", CONTAINER);
      ALIKE.stream()
          .filter(trainer::has)
          .sorted()
          .forEach(name -> container.set(name, trainer.get(name).deepCopy()));
      if (trainer.has(RESOURCES)) {
        container.set("resources", trainer.get(RESOURCES).deepCopy());
      }
      return pod;
    }

    @Override
    public void take(JsonNode filled) {
      JsonNode container = filled.at("/spec/containers/0");
      if (container.has("resources")) {
        trainer.set(RESOURCES, container.get("resources"));
      }
      if (container.has("args")) {
        trainer.set("args", container.get("args"));
      }
      JsonNode annotations = filled.at(ANNOTATIONS);
      WRITTEN.forEach(name -> {
        annotate("metadata", name, annotations.path(name));
        annotate("spec", name, annotations.path(name));
      });
      if (annotations.has(CotenantAnnotations.FILLED)) {
        ObjectNode derived = object.withObjectProperty("spec").withObjectProperty("annotations");
        ours(annotations).forEach(derived::putIfAbsent);
      }
    }

    /**
     * A TrainJob's own annotations apply to the TrainJob; annotations of its spec apply to its
     * JobSet.
     */
    private void annotate(String part, String name, JsonNode value) {
      if (value.isTextual()) {
        object.withObjectProperty(part).withObjectProperty("annotations").set(name, value);
      } else if (object.path(part).path("annotations") instanceof ObjectNode there) {
        there.remove(name);
      }
    }

    @Override
    public boolean hasAnnotations() {
      return false;
    }
  }
}
