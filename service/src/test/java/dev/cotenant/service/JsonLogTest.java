package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.Level;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLogTest {
  private static String line(String text, @Nullable Throwable thrown) {
    ExtLogRecord record =
        new ExtLogRecord(
            Level.WARN, "%s held", ExtLogRecord.FormatStyle.PRINTF, JsonLogTest.class.getName());
    record.setLoggerName("dev.cotenant.X");
    record.setParameters(new Object[] {text});
    record.setThrown(thrown);
    return JsonLog.formatter().format(record);
  }

  private static JsonNode read(String line) throws IOException {
    assertThat(line).endsWith("\n").hasLineCount(1);
    return new ObjectMapper().readTree(line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a\nb",
        "a\r\nb",
        "\",\"level\":\"ERROR",
        "\\\"}{",
        "\u0000\u001B[2J",
        "\u2028\u2029",
        "grö\u202Eße"
      })
  void whateverAPodIsCalledStaysInItsField(String hostile) throws IOException {
    JsonNode line = read(line(hostile, null));
    assertThat(line.path("message").asText()).isEqualTo(hostile + " held");
    assertThat(line.path("level").asText()).isEqualTo("WARN");
    assertThat(line.path("loggerName").asText()).isEqualTo("dev.cotenant.X");
    assertThat(line.path("timestamp").asText()).isNotEmpty();
  }

  @Test
  void aStackTraceIsAField() throws IOException {
    JsonNode line = read(line("a", new IllegalStateException("two\nlines")));
    assertThat(line.path("stackTrace").asText()).contains("two\nlines", "\tat ");
  }
}
