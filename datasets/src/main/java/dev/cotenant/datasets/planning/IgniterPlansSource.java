package dev.cotenant.datasets.planning;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Reads sets of workloads with the plans that iGniter's own code gives: a JSON array of {@code
 * {"name", "workloads": [{"model", "slo_ms", "rate_qps"}], "gpus"}}; other keys are skipped.
 */
public final class IgniterPlansSource {
  private static final JsonFactory JSON = new JsonFactory();

  private final Path file;

  public IgniterPlansSource(Path file) {
    this.file = file;
  }

  /**
   * All sets.
   *
   * @throws InputException ({@code data-not-found}, {@code data-unreadable}, {@code
   *     data-malformed}) naming file and line
   */
  public List<WorkloadSet> read() {
    StringJoiner text = new StringJoiner("\n");
    new DataFile(file).readLines((_, line) -> text.add(line));
    try (JsonParser parser = JSON.createParser(text.toString())) {
      List<WorkloadSet> sets = new ArrayList<>();
      expect(parser, JsonToken.START_ARRAY);
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        sets.add(set(parser));
      }
      if (parser.currentToken() != JsonToken.END_ARRAY) {
        throw malformed(parser, "an array of sets must end here");
      }
      return sets;
    } catch (JacksonException e) {
      long line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
      throw malformed(line, "is no JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UncheckedIOException("reading text cannot fail otherwise", e);
    }
  }

  private WorkloadSet set(JsonParser parser) throws IOException {
    String name = null;
    List<WorkloadSet.Workload> workloads = null;
    double gpus = Double.NaN;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      JsonToken value = parser.nextToken();
      switch (key) {
        case "name" -> name = parser.getText();
        case "gpus" -> gpus = number(parser);
        case "workloads" -> workloads = workloads(parser, value);
        default -> parser.skipChildren();
      }
    }
    if (name == null || workloads == null || !(gpus >= 0)) {
      throw malformed(parser, "a set needs 'name', 'workloads' and 'gpus'");
    }
    return new WorkloadSet(name, workloads, (int) gpus);
  }

  private List<WorkloadSet.Workload> workloads(JsonParser parser, JsonToken start)
      throws IOException {
    if (start != JsonToken.START_ARRAY) {
      throw malformed(parser, "'workloads' must be an array");
    }
    List<WorkloadSet.Workload> workloads = new ArrayList<>();
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      workloads.add(workload(parser));
    }
    return workloads;
  }

  private WorkloadSet.Workload workload(JsonParser parser) throws IOException {
    String model = null;
    double slo = Double.NaN;
    double rate = Double.NaN;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      parser.nextToken();
      switch (key) {
        case "model" -> model = parser.getText();
        case "slo_ms" -> slo = number(parser);
        case "rate_qps" -> rate = number(parser);
        default -> parser.skipChildren();
      }
    }
    if (model == null || !(slo > 0) || !(rate > 0)) {
      throw malformed(parser, "a workload needs 'model' and positive 'slo_ms' and 'rate_qps'");
    }
    return new WorkloadSet.Workload(model, slo, rate);
  }

  private double number(JsonParser parser) throws IOException {
    @Nullable JsonToken token = parser.currentToken();
    if (token == null || !token.isNumeric()) {
      throw malformed(parser, "'" + parser.currentName() + "' must be a number");
    }
    return parser.getDoubleValue();
  }

  private void expect(JsonParser parser, JsonToken wanted) throws IOException {
    if (parser.nextToken() != wanted) {
      throw malformed(parser, "must begin with an array of sets");
    }
  }

  private InputException malformed(JsonParser parser, String what) {
    return malformed(parser.currentLocation().getLineNr(), what);
  }

  private InputException malformed(long line, String what) {
    return InputException.malformed("data-malformed", file + ":" + line + ": " + what + ".");
  }
}
