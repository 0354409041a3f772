package dev.cotenant.admission.reservation;

import static dev.cotenant.admission.reservation.ReservationCodec.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.SettingsCodec;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A prediction as JSON, but for its warnings. */
final class PredictionCodec {
  private PredictionCodec() {}

  static JsonNode write(Prediction prediction) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("device", prediction.device().value())
        .put("batch_size", prediction.batchSize())
        .put("model_version", prediction.modelVersion());
    SettingsCodec.write(json, prediction.settings());
    UtilizationEstimate utilization = prediction.utilization();
    ObjectNode percent = json.putObject("utilization_percent");
    percent
        .put("mean", utilization.mean().percent())
        .put("lower", utilization.lower().percent())
        .put("upper", utilization.upper().percent());
    coverage(percent, utilization.coverage(), utilization.group());
    MemoryEstimate memory = prediction.peakMemory();
    ObjectNode bytes = json.putObject("peak_memory_bytes");
    bytes
        .put("mean", memory.mean().bytes())
        .put("lower", memory.lower().bytes())
        .put("upper", memory.upper().bytes());
    coverage(bytes, memory.coverage(), memory.group());
    GraphWork work = prediction.work();
    if (work != null) {
      json.putObject("work")
          .put("flops_per_sample", work.flopsPerSample())
          .put("activation_bytes_per_sample", work.activationBytesPerSample())
          .put("parameter_bytes", work.parameterBytes())
          .put("layers", work.layers());
    }
    return json;
  }

  private static void coverage(
      ObjectNode json, @Nullable Coverage coverage, @Nullable CalibrationGroup group) {
    if (coverage != null) {
      json.put("coverage", coverage.fraction());
    }
    if (group != null) {
      json.putObject("calibration").put("group", group.name()).put("rows", group.rows());
    }
  }

  static Prediction read(JsonNode json) {
    JsonNode percent = json.path("utilization_percent");
    JsonNode bytes = json.path("peak_memory_bytes");
    Prediction prediction =
        new Prediction(
            new DeviceId(text(json, "device")),
            json.path("batch_size").asInt(),
            SettingsCodec.read(json),
            new UtilizationEstimate(
                Utilization.ofPercent(number(percent, "mean")),
                Utilization.ofPercent(number(percent, "lower")),
                Utilization.ofPercent(number(percent, "upper")),
                coverage(percent),
                group(percent)),
            new MemoryEstimate(
                MemorySize.ofBytes((long) number(bytes, "mean")),
                MemorySize.ofBytes((long) number(bytes, "lower")),
                MemorySize.ofBytes((long) number(bytes, "upper")),
                coverage(bytes),
                group(bytes)),
            text(json, "model_version"),
            List.of());
    return json.has("work") ? prediction.withWork(work(json.path("work"))) : prediction;
  }

  private static double number(JsonNode json, String field) {
    if (!json.path(field).isNumber()) {
      throw ReservationCodec.malformed("has no number " + field);
    }
    return json.path(field).doubleValue();
  }

  private static @Nullable Coverage coverage(JsonNode json) {
    return json.has("coverage") ? Coverage.of(number(json, "coverage")) : null;
  }

  private static @Nullable CalibrationGroup group(JsonNode json) {
    JsonNode calibration = json.path("calibration");
    return calibration.isObject()
        ? new CalibrationGroup(text(calibration, "group"), (int) number(calibration, "rows"))
        : null;
  }

  private static GraphWork work(JsonNode json) {
    return new GraphWork(
        number(json, "flops_per_sample"),
        number(json, "activation_bytes_per_sample"),
        number(json, "parameter_bytes"),
        json.path("layers").asInt());
  }
}
