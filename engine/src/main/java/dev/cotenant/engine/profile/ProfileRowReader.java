package dev.cotenant.engine.profile;

import static dev.cotenant.engine.profile.ProfileFields.*;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunOptions;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks the fields of one measured run and makes a row of them. */
public final class ProfileRowReader {
  private static final int MAX_TEXT = 200;
  private static final double MAX_SECONDS = 86_400;

  private final DeviceCatalogue devices;
  private final RegisteredFeatures registered;

  /** The features of a registered model at a batch. */
  @FunctionalInterface
  public interface RegisteredFeatures {
    /** None is registered. */
    RegisteredFeatures NONE = (model, batch) -> Optional.empty();

    Optional<ModelFeatures> find(String model, int batchSize);
  }

  public ProfileRowReader(DeviceCatalogue devices, RegisteredFeatures registered) {
    this.devices = devices;
    this.registered = registered;
  }

  /**
   * The row.
   *
   * @param fields by the names of {@link ProfileFields}; blank means absent
   * @throws InputException naming the invalid field and its range
   */
  public ProfileRow read(Map<String, String> fields) {
    Cells cells = new Cells(fields);
    cells.requireKnown();
    Device on = devices.require(cells.required(DEVICE));
    DeviceId device = on.id();
    int batch = (int) cells.whole(BATCH, 1, Integer.MAX_VALUE);
    String model = cells.text(MODEL);
    ModelFeatures features = model == null ? features(cells, batch) : registered(model, batch);
    String family = model == null ? cells.required(FAMILY) : cells.textOr(FAMILY, model);
    Measurement measured = measurement(cells);
    if (measured.utilization() == null && measured.peakMemory() == null) {
      throw wrong("measures nothing: give " + UTILIZATION + " or " + PEAK_MEMORY);
    }
    MemorySize peak = measured.peakMemory();
    if (peak != null && !peak.isAtMost(on.memory())) {
      throw wrong(
          PEAK_MEMORY
              + " is "
              + peak
              + ", more than the "
              + on.memory()
              + " of a "
              + device
              + ": name the device that ran it");
    }
    return new ProfileRow(
        cells.textOr(SOURCE, "rest"),
        family,
        cells.textOr(TOPOLOGY, model == null ? family : model),
        features,
        RunOptions.read(cells::text),
        device,
        measured,
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  private ModelFeatures registered(String model, int batch) {
    return registered
        .find(model, batch)
        .orElseThrow(() ->
            wrong(
                "no model is registered as '"
                    + model
                    + "': register it, or give its features instead of "
                    + MODEL));
  }

  private static ModelFeatures features(Cells cells, int batch) {
    List<String> missing =
        FEATURES.stream().filter(name -> cells.text(name) == null).sorted().toList();
    if (!missing.isEmpty()) {
      throw wrong("lacks " + String.join(", ", missing) + "; or name a registered " + MODEL);
    }
    ModelFeatures counted = counted(cells, batch);
    BackwardMemory otherwise = counted.backward();
    return counted.with(
        new BackwardMemory(
            cells.bytesOr(SAVED_ACTIVATIONS, otherwise.saved()),
            cells.bytesOr(LARGEST_CONVOLUTION, otherwise.convolution())));
  }

  private static ModelFeatures counted(Cells cells, int batch) {
    int other = (int) cells.whole(OTHER, 0, Integer.MAX_VALUE);
    return new ModelFeatures(
        new LayerCounts(
            (int) cells.whole(CONVOLUTIONS, 0, Integer.MAX_VALUE),
            (int) cells.whole(LINEAR, 0, Integer.MAX_VALUE),
            (int) cells.whole(ACTIVATION_LAYERS, 0, Integer.MAX_VALUE),
            other),
        (int) cells.whole(NORMALIZATIONS, 0, other),
        cells.whole(PARAMETERS, 0, Long.MAX_VALUE),
        MemorySize.ofBytes(cells.whole(MODEL_SIZE, 0, Long.MAX_VALUE)),
        cells.whole(MACS, 0, Long.MAX_VALUE),
        MemorySize.ofBytes(cells.whole(ACTIVATIONS, 0, Long.MAX_VALUE)),
        MemorySize.ofBytes(cells.whole(INPUTS, 0, Long.MAX_VALUE)),
        batch);
  }

  private static Measurement measurement(Cells cells) {
    Long peak = cells.text(PEAK_MEMORY) == null ? null : cells.whole(PEAK_MEMORY, 1, 1L << 50);
    String step = cells.text(STEP_TIME);
    return new Measurement(
        cells.percent(UTILIZATION),
        cells.percent(MAXIMUM),
        cells.percent(SM_ACTIVITY),
        cells.percent(SM_OCCUPANCY),
        peak == null ? null : MemorySize.ofBytes(peak),
        step == null
            ? null
            : Duration.ofNanos(
                (long) (cells.number(STEP_TIME, 1e-9, MAX_SECONDS) * Nanoseconds.PER_SECOND)));
  }

  private static InputException wrong(String what) {
    return InputException.malformed("bad-profile", what);
  }

  /** The fields, read by kind. */
  private record Cells(Map<String, String> fields) {
    void requireKnown() {
      List<String> unknown =
          fields.keySet().stream().filter(name -> !names().contains(name)).sorted().toList();
      if (!unknown.isEmpty()) {
        throw wrong("there is no field '" + shown(unknown.getFirst()) + "'");
      }
    }

    @Nullable String text(String name) {
      String text = fields.get(name);
      if (text == null || text.isBlank()) {
        return null;
      }
      String stripped = text.strip();
      if (stripped.length() > MAX_TEXT || stripped.chars().anyMatch(Character::isISOControl)) {
        throw wrong(name + " must have at most " + MAX_TEXT + " printable characters");
      }
      return stripped;
    }

    String textOr(String name, String absent) {
      String text = text(name);
      return text == null ? absent : text;
    }

    String required(String name) {
      String text = text(name);
      if (text == null) {
        throw wrong(name + " is missing");
      }
      return text;
    }

    long whole(String name, long least, long most) {
      String text = required(name);
      try {
        long value = new BigDecimal(text).longValueExact(); // 1e10 is whole
        if (value >= least && value <= most) {
          return value;
        }
      } catch (ArithmeticException | NumberFormatException e) {
        throw outside(name, text, "a whole number from " + least, e);
      }
      throw outside(name, text, "a whole number from " + least + " to " + most, null);
    }

    MemorySize bytesOr(String name, MemorySize absent) {
      return text(name) == null ? absent : MemorySize.ofBytes(whole(name, 0, Long.MAX_VALUE));
    }

    @Nullable Utilization percent(String name) {
      return text(name) == null ? null : Utilization.ofPercent(number(name, 0, 100));
    }

    double number(String name, double least, double most) {
      String text = required(name);
      String rule = "a number from " + least + " to " + most;
      try {
        double value = Double.parseDouble(text);
        if (value >= least && value <= most) {
          return value;
        }
      } catch (NumberFormatException e) {
        throw outside(name, text, rule, e);
      }
      throw outside(name, text, rule, null);
    }

    private static InputException outside(
        String name, String text, String rule, @Nullable Throwable cause) {
      String message = name + " must be " + rule + ", is '" + shown(text) + "'";
      return cause == null
          ? wrong(message)
          : new InputException(InputException.Kind.MALFORMED, "bad-profile", message, cause);
    }

    private static String shown(String text) {
      return text.length() > 40 ? text.substring(0, 40) + "…" : text;
    }
  }
}
