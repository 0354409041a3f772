package dev.cotenant.admission.reservation;

import static dev.cotenant.admission.reservation.ReservationCodec.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.ComputeShare;
import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.SettingsCodec;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

final class CapacityRequestCodec {
  private CapacityRequestCodec() {}

  static JsonNode write(Colocatable pod) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("namespace", pod.pod().namespace());
    put(json, "name", pod.pod().name());
    put(json, "generate_name", pod.pod().generateName());
    put(json, "node", pod.nodes().node());
    GpuRequest gpu = pod.gpu();
    json.put("dialect", gpu.dialect().name())
        .put("container", gpu.container())
        .put("gpus", gpu.gpus());
    switch (gpu.memory()) {
      case DeclaredMemory.Amount(MemorySize memory) -> json.put("memory_bytes", memory.bytes());
      case DeclaredMemory.FractionOfGpu(double fraction) -> json.put("memory_ratio", fraction);
      case null -> {}
    }
    if (gpu.compute() != null) {
      json.put("compute_percent", gpu.compute().percent());
    }
    workload(json, pod.workload());
    return json;
  }

  private static void workload(ObjectNode json, WorkloadAnnotations workload) {
    put(json, "model", workload.model());
    json.put("batch_size", workload.batchSize());
    SettingsCodec.write(json, workload.settings());
    if (workload.gpuMemory() != null) {
      json.put("gpu_memory_bytes", workload.gpuMemory().bytes());
    }
    if (workload.sloLatency() != null) {
      json.put("slo_latency", workload.sloLatency().toString());
    }
    if (workload.maxSlowdown() != null) {
      json.put("max_slowdown", workload.maxSlowdown().ratio());
    }
    if (workload.riskBudget() != null) {
      json.put("risk_budget", workload.riskBudget());
    }
  }

  private static void put(ObjectNode json, String field, @Nullable String value) {
    if (value != null) {
      json.put(field, value);
    }
  }

  static Colocatable read(JsonNode json) {
    return new Colocatable(
        new PodIdentity(text(json, "namespace"), maybe(json, "name"), maybe(json, "generate_name")),
        new GpuRequest(
            GpuDialect.valueOf(text(json, "dialect")),
            text(json, "container"),
            json.path("gpus").asInt(),
            memory(json),
            json.has("compute_percent")
                ? new ComputeShare(json.path("compute_percent").asDouble())
                : null),
        new WorkloadAnnotations(
            maybe(json, "model"),
            json.path("batch_size").asInt(),
            SettingsCodec.read(json),
            json.has("gpu_memory_bytes")
                ? MemorySize.ofBytes(json.path("gpu_memory_bytes").asLong())
                : null,
            json.has("slo_latency") ? Duration.parse(text(json, "slo_latency")) : null,
            json.has("max_slowdown")
                ? Slowdown.ofRatio(json.path("max_slowdown").asDouble())
                : null,
            json.has("risk_budget") ? Double.valueOf(json.path("risk_budget").asDouble()) : null,
            List.of()),
        new NodeConstraints(maybe(json, "node"), List.of()));
  }

  private static @Nullable DeclaredMemory memory(JsonNode json) {
    if (json.has("memory_ratio")) {
      return new DeclaredMemory.FractionOfGpu(json.path("memory_ratio").asDouble());
    }
    return json.has("memory_bytes")
        ? new DeclaredMemory.Amount(MemorySize.ofBytes(json.path("memory_bytes").asLong()))
        : null;
  }

  private static @Nullable String maybe(JsonNode json, String field) {
    return json.has(field) ? text(json, field) : null;
  }
}
