package dev.cotenant.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.workload.RunOptions;
import dev.cotenant.domain.workload.RunSettings;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Run settings as fields of a JSON object. */
public final class SettingsCodec {
  /** Key of the rate in documents of earlier versions. */
  private static final String OLD_RATE = "requests_per_second";

  private SettingsCodec() {}

  /** Writes settings into an object. */
  public static void write(ObjectNode json, RunSettings settings) {
    RunOptions.texts(settings).forEach(json::put);
  }

  /**
   * Reads settings of an object; absent ones other than the mode are defaults.
   *
   * @throws InputException when they are invalid or the mode is absent
   */
  public static RunSettings read(JsonNode json) {
    if (!json.path(RunOptions.MODE).isTextual()) {
      throw InputException.invalidArgument("unknown-mode", "has no mode");
    }
    return RunOptions.read(name -> text(json, name));
  }

  /** Older documents have modes and precisions in capital letters. */
  private static @Nullable String text(JsonNode json, String name) {
    JsonNode value = json.path(name);
    if (name.equals(RunOptions.REQUEST_RATE) && value.isMissingNode() && isServed(json)) {
      value = json.path(OLD_RATE);
    }
    return value.isValueNode() ? value.asText().toLowerCase(Locale.ROOT) : null;
  }

  private static boolean isServed(JsonNode json) {
    return json.path(RunOptions.MODE).asText().equalsIgnoreCase("inference");
  }
}
