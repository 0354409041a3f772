package dev.cotenant.engine.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.testing.SampleRows;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileRowReaderTest {
  private final ProfileRowReader reader =
      new ProfileRowReader(
          DeviceCatalogue.builtIn(),
          (model, batch) ->
              model.equals("known") ? Optional.of(SampleRows.features(batch)) : Optional.empty());

  @Test
  void readsWhatItWrites() {
    ProfileRow row = SampleRows.row(8, 51.25);
    assertThat(reader.read(ProfileFields.of(row))).isEqualTo(row);
  }

  @Test
  void takesTheFeaturesOfARegisteredModel() {
    ProfileRow row =
        reader.read(
            Map.of(
                "model", "known", "device", "a100", "batch_size", "4", "utilization_percent", "9"));
    assertThat(row.features()).isEqualTo(SampleRows.features(4));
    assertThat(row.family()).isEqualTo("known");
    assertThat(row.device().value()).isEqualTo("a100-40gb");
  }

  @Test
  void wholeNumbersMayHaveAnExponent() {
    Map<String, String> fields = new HashMap<>(ProfileFields.of(SampleRows.row(8, 50)));
    fields.put("peak_memory_bytes", "1.0E10");
    assertThat(reader.read(fields).peakMemory()).isEqualTo(MemorySize.ofBytes(10_000_000_000L));
  }

  @ParameterizedTest
  @CsvSource({
    "device, gtx, Unknown device 'gtx'",
    "device, '', device is missing",
    "batch_size, -1, 'batch_size must be a whole number from 1'",
    "batch_size, 1e-999999999, 'batch_size must be a whole number from 1'",
    "batch_size, 1e999999999, 'batch_size must be a whole number from 1'",
    "batch_size, 1.5, 'batch_size must be a whole number from 1'",
    "batch_size, 99999999999, 'batch_size must be a whole number from 1'",
    "utilization_percent, NaN, 'utilization_percent must be a number from 0.0 to 100.0, is'",
    "utilization_percent, Infinity, 'utilization_percent must be a number'",
    "utilization_percent, 101, 'utilization_percent must be a number'",
    "peak_memory_bytes, 0, 'peak_memory_bytes must be a whole number from 1'",
    "parameters, -5, 'parameters must be a whole number from 0'",
    "parameters, '', lacks parameters",
    "normalization_layers, 56, 'normalization_layers must be a whole number from 0 to 55'",
    "mode, idle, Unknown mode",
    "precision, int4, Unknown precision",
    "step_time_seconds, 0, 'step_time_seconds must be a number'",
    "colour, red, there is no field 'colour'",
    "model, nobody, no model is registered as 'nobody'",
  })
  void saysWhichFieldIsWrong(String field, String value, String message) {
    Map<String, String> fields = new HashMap<>(ProfileFields.of(SampleRows.row(8, 50)));
    fields.put(field, value);
    assertThatThrownBy(() -> reader.read(fields))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(message)
        .message()
        .hasLineCount(1);
  }

  @Test
  void wantsSomethingMeasured() {
    Map<String, String> fields = new HashMap<>(ProfileFields.of(SampleRows.row(8, 50)));
    fields.remove("utilization_percent");
    fields.remove("peak_memory_bytes");
    assertThatThrownBy(() -> reader.read(fields)).hasMessageContaining("measures nothing");
  }

  @Test
  void hashesWhatRanAndWasMeasuredAndNotWhatItIsCalled() {
    Map<String, String> fields = new HashMap<>(ProfileFields.of(SampleRows.row(8, 50)));
    fields.put("family", "other");
    fields.put("source", "elsewhere");
    String hash = ProfileFields.contentHash(SampleRows.row(8, 50));
    assertThat(ProfileFields.contentHash(reader.read(fields))).isEqualTo(hash);
    assertThat(ProfileFields.contentHash(SampleRows.row(8, 51))).isNotEqualTo(hash);
    assertThat(ProfileFields.contentHash(SampleRows.row(9, 50))).isNotEqualTo(hash);
  }

  /** Of eight samples the layers put out 8 · 85 MiB = 713,031,680 bytes. */
  @ParameterizedTest
  @CsvSource({"'', '', 713031680, 0", "5, '', 5, 0", "'', 7, 713031680, 7", "5, 7, 5, 7"})
  void takesEachOfTheTwoThatTrainingKeepsAsSaidOrFromTheLayers(
      String kept, String convolution, long keptBytes, long convolutionBytes) {
    Map<String, String> fields = new HashMap<>(ProfileFields.of(SampleRows.row(8, 50)));
    fields.put("saved_activation_bytes", kept);
    fields.put("largest_convolution_bytes", convolution);

    BackwardMemory backward = reader.read(fields).features().backward();

    assertThat(backward.saved().bytes()).isEqualTo(keptBytes);
    assertThat(backward.convolution().bytes()).isEqualTo(convolutionBytes);
  }
}
