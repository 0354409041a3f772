package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedNode.Taint;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.KubernetesQuantity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a node's JSON.
 *
 * <p>A device plugin that shares GPUs offers each of them several times. Their number comes from
 * GPU feature discovery ({@code nvidia.com/gpu.count}, or {@code nvidia.com/gpu.replicas} as a
 * divisor), else from HAMi's list of devices, else every offer is a GPU.
 */
public final class NodeReader {
  private static final List<String> RESOURCES = List.of("nvidia.com/gpu", "nvidia.com/gpu.shared");
  private static final String GPUSHARE_COUNT =
      GpuDialect.GPUSHARE.memoryField().orElseThrow().number();
  private static final String COUNT_LABEL = "nvidia.com/gpu.count";
  private static final String REPLICAS_LABEL = "nvidia.com/gpu.replicas";
  private static final String HAMI_DEVICES = "hami.io/node-nvidia-register";
  private static final Pattern UUID = Pattern.compile("GPU-[0-9A-Za-z-]+");
  private static final int MAX_GPUS = 1_024;

  /**
   * Reads a node.
   *
   * @throws dev.cotenant.domain.InputException without a name
   */
  public WatchedNode read(JsonNode node) {
    JsonNode metadata = node.path("metadata");
    JsonNode spec = node.path("spec");
    Map<String, String> labels = Json.texts(metadata.path("labels"));
    return new WatchedNode(
        Json.required(metadata, "name"),
        labels,
        taints(spec.path("taints")),
        !spec.path("unschedulable").asBoolean(false),
        gpus(node, labels),
        Amounts.read(node.path("status").path("allocatable")));
  }

  private static List<Taint> taints(JsonNode array) {
    List<Taint> taints = new ArrayList<>();
    for (JsonNode taint : array) {
      taints.add(
          new Taint(
              Json.required(taint, "key"),
              Json.textOr(taint, "value", ""),
              Json.textOr(taint, "effect", "")));
    }
    return taints;
  }

  private static int gpus(JsonNode node, Map<String, String> labels) {
    Optional<Integer> offered = offered(node.path("status").path("allocatable"));
    if (offered.isPresent() && offered.get() == 0) {
      return 0; // the device plugin runs and has none
    }
    int labelled = count(labels.get(COUNT_LABEL)).orElse(0);
    if (labelled > 0) {
      return labelled;
    }
    int listed = listed(node.path("metadata").path("annotations"));
    if (listed > 0) {
      return listed;
    }
    int replicas = Math.max(1, count(labels.get(REPLICAS_LABEL)).orElse(1));
    return Math.ceilDiv(offered.orElse(0), replicas);
  }

  private static Optional<Integer> offered(JsonNode allocatable) {
    Optional<Integer> sum = Optional.empty();
    for (String resource : RESOURCES) {
      Optional<Integer> some = count(Json.text(allocatable, resource));
      sum = some.isPresent() ? Optional.of(sum.orElse(0) + some.get()) : sum;
    }
    return sum.or(() -> count(Json.text(allocatable, GPUSHARE_COUNT)));
  }

  private static int listed(JsonNode annotations) {
    @Nullable String devices = Json.text(annotations, HAMI_DEVICES);
    Set<String> uuids = new HashSet<>();
    if (devices != null) {
      Matcher found = UUID.matcher(devices);
      while (found.find() && uuids.size() < MAX_GPUS) {
        uuids.add(found.group());
      }
    }
    return uuids.size();
  }

  private static Optional<Integer> count(@Nullable String quantity) {
    return quantity == null
        ? Optional.empty()
        : KubernetesQuantity.parse(quantity)
            .map(KubernetesQuantity::value)
            .filter(value -> value.signum() >= 0)
            .map(value -> (int) Math.min(MAX_GPUS, value.doubleValue()));
  }
}
