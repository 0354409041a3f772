package dev.cotenant.datasets.planning;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.domain.InputException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Reads sets of workloads with the plans that iGniter's own code gives: a JSON array of {@code
 * {"name", "workloads": [{"model", "slo_ms", "rate_qps"}], "gpus"}}; other keys are skipped.
 */
public final class IgniterPlansSource {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;

  public IgniterPlansSource(Path file) {
    this.file = file;
  }

  /**
   * All sets.
   *
   * @throws InputException ({@code data-not-found}, {@code data-unreadable}, {@code
   *     data-malformed}) naming file and line, or the number of the set
   */
  public List<WorkloadSet> read() {
    StringJoiner text = new StringJoiner("\n");
    new DataFile(file).readLines((_, line) -> text.add(line));
    try {
      JsonNode array = JSON.readTree(text.toString());
      if (!array.isArray()) {
        throw malformed(" ", "must begin with an array of sets");
      }
      List<WorkloadSet> sets = new ArrayList<>();
      array.forEach(set -> sets.add(set(set, " set " + (sets.size() + 1) + ": ")));
      return sets;
    } catch (JsonProcessingException e) {
      throw malformed(
          e.getLocation().getLineNr() + ": ", "is not valid JSON: " + e.getOriginalMessage());
    }
  }

  private WorkloadSet set(JsonNode set, String place) {
    if (!set.path("name").isTextual()
        || !set.path("workloads").isArray()
        || !(number(set, "gpus") >= 0)) {
      throw malformed(place, "a set needs 'name', 'workloads' and 'gpus'");
    }
    List<WorkloadSet.Workload> workloads = new ArrayList<>();
    set.get("workloads").forEach(workload -> workloads.add(workload(workload, place)));
    return new WorkloadSet(set.get("name").textValue(), workloads, (int) number(set, "gpus"));
  }

  private WorkloadSet.Workload workload(JsonNode workload, String place) {
    double slo = number(workload, "slo_ms");
    double rate = number(workload, "rate_qps");
    if (!workload.path("model").isTextual() || !(slo > 0) || !(rate > 0)) {
      throw malformed(place, "a workload needs 'model' and positive 'slo_ms' and 'rate_qps'");
    }
    return new WorkloadSet.Workload(workload.get("model").textValue(), slo, rate);
  }

  private static double number(JsonNode object, String key) {
    JsonNode value = object.path(key);
    return value.isNumber() ? value.doubleValue() : Double.NaN;
  }

  private InputException malformed(String place, String what) {
    return InputException.malformed("data-malformed", file + ":" + place + what + ".");
  }
}
