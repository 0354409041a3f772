package dev.cotenant.service;

import dev.cotenant.domain.text.PlainText;
import io.quarkus.logging.LoggingFilter;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;

/**
 * Makes every message of this project one line of plain text, with control characters of outside
 * input removed. Messages of libraries stay as they are: some have several lines on purpose.
 */
@LoggingFilter(name = "plain-text")
public final class PlainLog implements Filter {
  private static final String OURS = "dev.cotenant";
  private static final PatternFormatter MESSAGE = new PatternFormatter("%s");

  @Override
  public boolean isLoggable(LogRecord record) {
    String logger = record.getLoggerName();
    if (record instanceof ExtLogRecord message && logger != null && logger.startsWith(OURS)) {
      String text = MESSAGE.format(message);
      String plain = PlainText.of(text);
      if (!plain.equals(text)) {
        message.setMessage(plain, ExtLogRecord.FormatStyle.NO_FORMAT);
        message.setParameters(null);
      }
    }
    return true;
  }
}
