package dev.cotenant.service;

import java.util.logging.Handler;
import org.jboss.logmanager.ExtHandler;
import org.jboss.logmanager.LogContext;
import org.jboss.logmanager.formatters.JsonFormatter;
import org.jboss.logmanager.formatters.StructuredFormatter.ExceptionOutputType;

/**
 * Log lines as JSON objects with the fields of Quarkus' extension for JSON logs, one a line. By the
 * same formatter, so that no extension is needed.
 */
final class JsonLog {
  private JsonLog() {}

  static JsonFormatter formatter() {
    JsonFormatter formatter = new JsonFormatter();
    formatter.setExceptionOutputType(ExceptionOutputType.FORMATTED);
    return formatter;
  }

  /** Sets the formatter of every handler of this process. */
  static void install() {
    install(LogContext.getLogContext().getLogger("").getHandlers());
  }

  private static void install(Handler[] handlers) {
    for (Handler handler : handlers) {
      Handler[] behind =
          handler instanceof ExtHandler several ? several.getHandlers() : new Handler[0];
      if (behind.length == 0) {
        handler.setFormatter(formatter());
      } else {
        install(behind);
      }
    }
  }
}
