package dev.cotenant.engine.profile;

import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.domain.workload.RunOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A profile row as named text fields with their units in the name: the columns of a CSV, the keys
 * of a JSON object, and what a store keeps.
 */
public final class ProfileFields {
  static final String SOURCE = "source";
  static final String MODEL = "model";
  static final String FAMILY = "family";
  static final String TOPOLOGY = "topology";
  static final String DEVICE = "device";
  static final String BATCH = "batch_size";
  static final String CONVOLUTIONS = "convolution_layers";
  static final String LINEAR = "linear_layers";
  static final String ACTIVATION_LAYERS = "activation_layers";
  static final String OTHER = "other_layers";
  static final String NORMALIZATIONS = "normalization_layers";
  static final String PARAMETERS = "parameters";
  static final String MODEL_SIZE = "model_size_bytes";
  static final String MACS = "multiply_accumulates";
  static final String ACTIVATIONS = "activation_bytes";
  static final String INPUTS = "input_bytes";
  static final String SAVED_ACTIVATIONS = "saved_activation_bytes";
  static final String LARGEST_CONVOLUTION = "largest_convolution_bytes";
  static final String UTILIZATION = "utilization_percent";
  static final String MAXIMUM = "maximum_utilization_percent";
  static final String SM_ACTIVITY = "sm_activity_percent";
  static final String SM_OCCUPANCY = "sm_occupancy_percent";
  static final String PEAK_MEMORY = "peak_memory_bytes";
  static final String STEP_TIME = "step_time_seconds";

  /** What a row says about its model's graph; all of them, or {@code model}. */
  static final List<String> FEATURES =
      List.of(
          CONVOLUTIONS,
          LINEAR,
          ACTIVATION_LAYERS,
          OTHER,
          NORMALIZATIONS,
          PARAMETERS,
          MODEL_SIZE,
          MACS,
          ACTIVATIONS,
          INPUTS);

  /**
   * What training keeps, and for the largest convolution: each may be left out. Then the outputs of
   * all layers are taken, and none for convolutions.
   */
  static final List<String> BACKWARD = List.of(SAVED_ACTIVATIONS, LARGEST_CONVOLUTION);

  static final List<String> MEASURED =
      List.of(UTILIZATION, MAXIMUM, SM_ACTIVITY, SM_OCCUPANCY, PEAK_MEMORY, STEP_TIME);

  private static final List<String> HEAD = List.of(SOURCE, MODEL, FAMILY, TOPOLOGY, DEVICE, BATCH);

  /** Said of a run, but no part of what was run and measured, or follows from that. */
  private static final List<String> LABELS =
      List.of(SOURCE, FAMILY, TOPOLOGY, SAVED_ACTIVATIONS, LARGEST_CONVOLUTION);

  private ProfileFields() {}

  /** All fields in the order of the documentation. */
  public static List<String> names() {
    return java.util.stream.Stream.of(HEAD, RunOptions.NAMES, FEATURES, BACKWARD, MEASURED)
        .flatMap(List::stream)
        .toList();
  }

  /** The fields of a row, without unmeasured ones and {@code model}. */
  public static Map<String, String> of(ProfileRow row) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put(SOURCE, row.source());
    fields.put(FAMILY, row.family());
    fields.put(TOPOLOGY, row.topology());
    fields.put(DEVICE, row.device().value());
    fields.put(BATCH, String.valueOf(row.features().batchSize()));
    fields.putAll(RunOptions.texts(row.settings()));
    putFeatures(fields, row.features());
    putMeasurement(fields, row.measurement());
    return fields;
  }

  private static void putFeatures(Map<String, String> fields, ModelFeatures features) {
    LayerCounts layers = features.layers();
    fields.put(CONVOLUTIONS, String.valueOf(layers.convolution()));
    fields.put(LINEAR, String.valueOf(layers.linear()));
    fields.put(ACTIVATION_LAYERS, String.valueOf(layers.activation()));
    fields.put(OTHER, String.valueOf(layers.other()));
    fields.put(NORMALIZATIONS, String.valueOf(features.normalizations()));
    fields.put(PARAMETERS, String.valueOf(features.parameters()));
    fields.put(MODEL_SIZE, String.valueOf(features.modelSize().bytes()));
    fields.put(MACS, String.valueOf(features.multiplyAccumulates()));
    fields.put(ACTIVATIONS, String.valueOf(features.activations().bytes()));
    fields.put(INPUTS, String.valueOf(features.inputs().bytes()));
    fields.put(SAVED_ACTIVATIONS, String.valueOf(features.backward().saved().bytes()));
    fields.put(LARGEST_CONVOLUTION, String.valueOf(features.backward().convolution().bytes()));
  }

  private static void putMeasurement(Map<String, String> fields, Measurement measured) {
    put(fields, UTILIZATION, measured.utilization());
    put(fields, MAXIMUM, measured.maximumUtilization());
    put(fields, SM_ACTIVITY, measured.smActivity());
    put(fields, SM_OCCUPANCY, measured.smOccupancy());
    var memory = measured.peakMemory();
    if (memory != null) {
      fields.put(PEAK_MEMORY, String.valueOf(memory.bytes()));
    }
    var step = measured.stepTime();
    if (step != null) {
      fields.put(STEP_TIME, String.valueOf(step.toNanos() / Nanoseconds.PER_SECOND));
    }
  }

  private static void put(Map<String, String> fields, String name, @Nullable Utilization value) {
    if (value != null) {
      fields.put(name, String.valueOf(value.percent()));
    }
  }

  /** Identity of a row: SHA-256 over its run and measurements, without names and origin. */
  public static String contentHash(ProfileRow row) {
    Map<String, String> content = new TreeMap<>(of(row));
    LABELS.forEach(content::remove);
    return Sha256.of(content.toString());
  }

  /** The same within a namespace: one namespace's rows are no duplicates of another's. */
  public static String contentHash(String namespace, ProfileRow row) {
    String content = contentHash(row);
    return namespace.equals(ProfileStore.SHARED) ? content : Sha256.of(namespace + "/" + content);
  }
}
