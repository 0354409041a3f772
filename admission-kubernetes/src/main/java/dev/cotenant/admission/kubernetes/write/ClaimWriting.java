package dev.cotenant.admission.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.cotenant.admission.cluster.ClusterWriter.DeviceClaim;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.api.RequestQueue;
import dev.cotenant.admission.kubernetes.api.RequestQueue.Result;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Creates one ResourceClaim [resource.k8s.io/v1] that pods share. An existing claim with the same
 * selector gets the pod as a further owner, so that it lives as long as any of them.
 */
final class ClaimWriting {
  private static final String RESOURCES = "/apis/resource.k8s.io/v1";
  private static final String REQUEST = "gpu";

  private final RequestQueue requests;
  private final WatchedPod pod;
  private final String name;
  private final DeviceClaim wanted;
  private final BiConsumer<Result, WriteResult> done;

  record Wanted(WatchedPod pod, String name, DeviceClaim claim) {}

  /**
   * @param done receives the last result, once
   */
  ClaimWriting(RequestQueue requests, Wanted wanted, BiConsumer<Result, WriteResult> done) {
    this.requests = requests;
    pod = wanted.pod();
    name = wanted.name();
    this.wanted = wanted.claim();
    this.done = done;
  }

  void begin() {
    String all = ApiCall.namespaced(RESOURCES, pod.pod().namespace(), "resourceclaims");
    requests.send(
        ApiCall.post(all, body()),
        result -> {
          if (result instanceof Result.Answered(ApiResponse answer)
              && answer.code() == ApiResponse.CONFLICT) {
            look();
          } else if (result instanceof Result.Answered(ApiResponse answer)
              && answer.code() == ApiResponse.NOT_FOUND) {
            done.accept(result, new WriteResult.Refused("there are no ResourceClaims here"));
          } else {
            done.accept(result, WriteResults.of(result));
          }
        });
  }

  private void look() {
    requests.send(
        ApiCall.get(path()),
        result -> {
          if (!(result instanceof Result.Answered(ApiResponse answer)) || !answer.isSuccessful()) {
            done.accept(result, WriteResults.of(result));
          } else if (!selection(answer.json()).equals(selection(body()))
              && !isOwnMigDevice(answer.json())) {
            done.accept(result, new WriteResult.Refused(path() + " selects other devices"));
          } else if (isOwned(answer.json())) {
            done.accept(result, new WriteResult.Done());
          } else {
            own(answer.json());
          }
        });
  }

  private void own(JsonNode claim) {
    JsonNode version = claim.path("metadata").path("resourceVersion");
    boolean owned = claim.path("metadata").path("ownerReferences").isArray();
    JsonPatch.Operation add =
        owned
            ? new JsonPatch.Add("/metadata/ownerReferences/-", owner())
            : new JsonPatch.Add("/metadata/ownerReferences", Json.array().add(owner()));
    requests.send(
        ApiCall.patch(
            path(),
            new JsonPatch(List.of(new JsonPatch.Test("/metadata/resourceVersion", version), add))),
        result -> done.accept(result, WriteResults.ofPatch(result)));
  }

  private String path() {
    return ApiCall.namespaced(RESOURCES, pod.pod().namespace(), "resourceclaims", name);
  }

  private ObjectNode body() {
    ObjectNode claim =
        Json.object().put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaim");
    ObjectNode metadata =
        claim.putObject("metadata").put("name", name).put("namespace", pod.pod().namespace());
    metadata.putArray("ownerReferences").add(owner());
    ObjectNode devices = claim.putObject("spec").putObject("devices");
    ObjectNode exactly =
        devices
            .putArray("requests")
            .addObject()
            .put("name", REQUEST)
            .putObject("exactly")
            .put("deviceClassName", wanted.deviceClass())
            .put("allocationMode", "ExactCount")
            .put("count", wanted.devices());
    MemorySize memory = wanted.memory();
    if (memory != null) {
      String amount = Math.ceilDiv(memory.bytes(), MemorySize.MIB) + "Mi";
      exactly.putObject("capacity").putObject("requests").put("memory", amount);
    }
    exactly
        .putArray("selectors")
        .addObject()
        .putObject("cel")
        .put("expression", wanted.expression());
    SharingParameters.of(wanted.sharing())
        .ifPresent(parameters -> {
          ObjectNode config = devices.putArray("config").addObject();
          config.putArray("requests").add(REQUEST);
          config
              .putObject("opaque")
              .put("driver", SharingParameters.DRIVER)
              .set("parameters", parameters);
        });
    return claim;
  }

  /** The devices that a claim selects, without defaults of the API server. */
  private static List<JsonNode> selection(JsonNode claim) {
    JsonNode exactly = claim.at("/spec/devices/requests/0/exactly");
    return List.of(
        exactly.path("deviceClassName"),
        TextNode.valueOf(exactly.path("count").asText("1")),
        exactly.at("/selectors/0/cel/expression"),
        exactly.at("/capacity/requests/memory"),
        TextNode.valueOf(String.valueOf(claim.at("/spec/devices/requests").size())));
  }

  private boolean isOwnMigDevice(JsonNode claim) {
    return isOwned(claim)
        && wanted.deviceClass().equals(DeviceClaim.MIG)
        && claim
            .at("/spec/devices/requests/0/exactly/deviceClassName")
            .asText()
            .equals(DeviceClaim.MIG);
  }

  private boolean isOwned(JsonNode claim) {
    for (JsonNode owner : claim.path("metadata").path("ownerReferences")) {
      if (pod.uid().equals(Json.text(owner, "uid"))) {
        return true;
      }
    }
    return false;
  }

  private ObjectNode owner() {
    return Json.object()
        .put("apiVersion", "v1")
        .put("kind", "Pod")
        .put("name", pod.pod().name())
        .put("uid", pod.uid());
  }
}
