package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainLogTest {
  private static String logged(String logger, String format, Object... parameters) {
    ExtLogRecord record =
        new ExtLogRecord(
            Level.INFO, format, ExtLogRecord.FormatStyle.PRINTF, PlainLogTest.class.getName());
    record.setLoggerName(logger);
    record.setParameters(parameters);
    assertThat(new PlainLog().isLoggable(record)).isTrue();
    return new PatternFormatter("%s").format(record);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\u0085", "\u2028", "\u2029", "\u202E", "\u2066", "\u200F", "\n", "\r", "\u001B"})
  void namesFromOutsideCannotBeginALineOrReverseOne(String hostile) {
    assertThat(logged("dev.cotenant.service.X", "%s admitted", "pod" + hostile + "ERROR forged"))
        .isEqualTo("pod\uFFFDERROR forged admitted");
  }

  @Test
  void whatIsPlainIsLoggedAsItIs() {
    assertThat(logged("dev.cotenant.service.X", "100 %% of %s", "größe"))
        .isEqualTo("100 % of größe");
    assertThat(logged("io.quarkus", "two\nlines of a library"))
        .isEqualTo("two\nlines of a library");
  }
}
