package dev.cotenant.datasets.named;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * Reads the memory that gpu-lets reserves for inference of each model: {@code mem-config.json}, or
 * the folder that holds it. {@code mem} is in MiB; the file states no batch, for which {@value
 * #ASSUMED_BATCH} is assumed. Some of its figures cannot hold a process baseline (LeNet has 50
 * MiB), others seem to: the set judges and teaches nothing.
 */
public final class GletMemorySource implements ProfileSource {
  public static final String FORMAT = "glet-memory";

  static final int ASSUMED_BATCH = 8;

  private static final DeviceId DEVICE = new DeviceId("rtx-2080ti");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_MEBIBYTES = 1 << 20;

  /** Six services of one network. */
  private static final String LENETS = "lenet[1-6]";

  private final DataFile file;
  private final NamedRuns runs = new NamedRuns();

  /**
   * @param path the document or its folder
   */
  public GletMemorySource(Path path) {
    file = DataFile.in(path, "mem-config.json");
  }

  @Override
  public Result read() {
    StringJoiner text = new StringJoiner("\n");
    String sha256 = file.readLines((_, line) -> text.add(line));
    List<ProfileRow> rows = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    int number = 0;
    for (JsonNode model : models(text.toString())) {
      number++;
      try {
        rows.add(profile(model, number));
      } catch (UnusableRowException e) {
        rejected.add(file.name() + ": model " + number + ": " + e.getMessage());
      }
    }
    return new Result(rows, rejected, sha256, file.name());
  }

  private JsonNode models(String text) {
    try {
      JsonNode models = JSON.readTree(text).path("models");
      if (models.isArray()) {
        return models;
      }
      throw malformed("needs an array 'models'");
    } catch (JsonProcessingException e) {
      throw malformed("is not valid JSON: " + e.getOriginalMessage());
    }
  }

  private InputException malformed(String what) {
    return InputException.malformed("data-malformed", file.name() + ": " + what + ".");
  }

  private ProfileRow profile(JsonNode model, int number) {
    String name = model.path("name").asText();
    int mebibytes = model.path("mem").asInt();
    if (mebibytes < 1 || mebibytes > MAX_MEBIBYTES) {
      throw new UnusableRowException("'mem' must be from 1 to " + MAX_MEBIBYTES + " MiB");
    }
    if (name.matches(LENETS) && !name.endsWith("1")) {
      throw new UnusableRowException("'" + name + "' repeats lenet1");
    }
    NamedRuns.Run run =
        new NamedRuns.Run(
            FORMAT + ":" + number, ASSUMED_BATCH, Precision.FP32, DEVICE, Licence.NONE_STATED);
    return runs.profile(
        GletNames.of(name.matches(LENETS) ? "lenet" : name),
        run,
        Measurement.NONE.withPeakMemory(MemorySize.ofMiB(mebibytes)));
  }
}
