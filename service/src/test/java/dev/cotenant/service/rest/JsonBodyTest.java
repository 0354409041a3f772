package dev.cotenant.service.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.InputException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonBodyTest {
  private record Document(
      @JsonProperty("bytes") long bytes,
      @JsonProperty("batch") int batch,
      @JsonProperty("limit") @Nullable Long limit,
      @JsonProperty("tenants") @Nullable Integer tenants,
      @JsonProperty("part") @Nullable Document part) {}

  private static Document read(String json) {
    return JsonBody.read(
        new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), Document.class);
  }

  @Test
  void wholeNumbersMayHaveAnExponentOrZeroDecimals() {
    assertThat(read("{\"bytes\": 1e10, \"batch\": 8.0, \"limit\": 2.5e1}"))
        .isEqualTo(new Document(10_000_000_000L, 8, 25L, null, null));
    assertThat(read("{\"bytes\": 7, \"batch\": 8, \"limit\": null, \"tenants\": 1e0}"))
        .isEqualTo(new Document(7, 8, null, 1, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''| unexpected-json| The JSON body: must be one object.",
        "[]| unexpected-json| The JSON body: must be one object.",
        "{'bytes': 1, 'batch': 2} {}| unexpected-json| The JSON body: must be one object.",
        "{'bytes': 'many'}| unexpected-json| bytes: must be a whole number of at most 19 digits.",
        "{'bytes': 1.5}| unexpected-json| bytes: must be a whole number",
        "{'bytes': 1e19}| unexpected-json| bytes",
        "{'batch': 1e10}| unexpected-json| batch",
        "{'limit': 1e-1}| unexpected-json| limit",
        "{'limit': 1e999999999}| unexpected-json| limit",
        "{'limit': 1e-999999999}| unexpected-json| limit",
        "{'tenants': 'x'}| unexpected-json| tenants: must be a whole number of at most 9 digits.",
        "{'tenants': 1| malformed-json| it ends early, in line 1, column 14.",
        "{'part': {'batch'| malformed-json| it ends early, in line 1, column",
        "{'batch': 1, 'batch': 2}| malformed-json| Duplicate field 'batch'",
      })
  void saysWhatIsWrong(String json, String code, String named) {
    assertThatThrownBy(() -> read(json.replace('\'', '"')))
        .isInstanceOfSatisfying(
            InputException.class, thrown -> assertThat(thrown.code()).isEqualTo(code))
        .hasMessageContaining(named);
  }
}
