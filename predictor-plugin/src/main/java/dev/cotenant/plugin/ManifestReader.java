package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Interprets a manifest's entries and refuses unknown ones. */
final class ManifestReader {
  private static final long FORMAT = 1;

  /** A factor of 5·10⁸. */
  private static final int MAX_OFFSET = 20;

  private static final Set<String> KEYS =
      Set.of(
          "format",
          "name",
          "model",
          "sha256",
          "inputs",
          "output",
          "bound",
          "devices",
          "modes",
          "precisions");

  private final DeviceCatalogue catalogue;

  ManifestReader(DeviceCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * Reads a manifest.
   *
   * @param text YAML or JSON
   * @param file name of the file in messages
   * @throws InputException ({@code bad-manifest}) naming file and entry
   */
  Manifest read(String text, String file) {
    Entries entries = Entries.parse(text, file);
    entries.allowOnly(KEYS);
    if (entries.number("format") != FORMAT) {
      throw entries.bad("format", "must be " + FORMAT);
    }
    Answer answer = answer(entries.entries("output"));
    return new Manifest(
        matching(entries, "name", "[a-z0-9][a-z0-9-]{0,62}", "lower-case letters, digits, hyphens"),
        matching(
            entries,
            "model",
            "[A-Za-z0-9._-]{1,64}",
            "a file name of 1 to 64 letters, digits, dots, hyphens and underscores"),
        matching(entries, "sha256", "[0-9a-f]{64}", "64 lower-case hexadecimal digits"),
        columns(entries),
        new Manifest.Output(entries.entries("output").optionalText("name"), answer),
        bound(entries.entries("bound")),
        scope(entries));
  }

  private static String matching(Entries entries, String key, String pattern, String words) {
    String text = entries.text(key);
    if (!text.matches(pattern)) {
      throw entries.bad(key, "must be " + words);
    }
    return text;
  }

  private static Answer answer(Entries output) {
    output.allowOnly(Set.of("name", "answers"));
    return Answer.find(output.text("answers"))
        .orElseThrow(() -> output.bad("answers", "must be one of " + Answer.keys()));
  }

  private static List<Manifest.Column> columns(Entries entries) {
    List<Manifest.Column> columns = new ArrayList<>();
    for (Entries input : entries.list("inputs")) {
      input.allowOnly(Set.of("feature", "scale"));
      InputFeature feature =
          InputFeature.find(input.text("feature"))
              .orElseThrow(() -> input.bad("feature", "must be one of " + InputFeature.keys()));
      columns.add(new Manifest.Column(feature, isLog(input)));
    }
    return columns;
  }

  private static boolean isLog(Entries input) {
    @Nullable String scale = input.optionalText("scale");
    return switch (scale) {
      case null -> false;
      case "plain" -> false;
      case "log1p" -> true;
      default -> throw input.bad("scale", "must be plain or log1p");
    };
  }

  private static Manifest.Bound bound(Entries bound) {
    bound.allowOnly(Set.of("log_offset", "output", "coverage"));
    double share = bound.number("coverage");
    if (!(share > 0 && share < 1)) {
      throw bound.bad("coverage", "must lie between 0 and 1, such as 0.9");
    }
    String output = bound.optionalText("output");
    if ((output == null) != bound.has("log_offset")) {
      throw bound.bad("output", "or log_offset must be given, and only one of them");
    }
    if (output != null) {
      return new Manifest.Bound.SecondOutput(output, Coverage.of(share));
    }
    double offset = bound.number("log_offset");
    if (!(offset >= 0 && offset <= MAX_OFFSET)) {
      throw bound.bad("log_offset", "must be at least 0 and at most " + MAX_OFFSET);
    }
    return new Manifest.Bound.LogOffset(offset, Coverage.of(share));
  }

  private Manifest.Scope scope(Entries entries) {
    Set<DeviceId> devices = new LinkedHashSet<>();
    for (String device : entries.texts("devices")) {
      devices.add(
          catalogue
              .find(device)
              .orElseThrow(
                  () -> entries.bad("devices", "names '" + device + "', see cotenant devices"))
              .id());
    }
    return new Manifest.Scope(
        devices,
        named(entries, "modes", ExecutionMode::parse, ExecutionMode.TRAINING),
        named(entries, "precisions", Precision::parse, Precision.FP32));
  }

  private static <T> Set<T> named(
      Entries entries, String key, Function<String, T> parse, T otherwise) {
    if (!entries.has(key)) {
      return Set.of(otherwise);
    }
    Set<T> values = new LinkedHashSet<>();
    for (String name : entries.texts(key)) {
      try {
        values.add(parse.apply(name));
      } catch (InputException e) {
        throw entries.bad(key, "contains an invalid value: " + e.getMessage());
      }
    }
    return values;
  }
}
