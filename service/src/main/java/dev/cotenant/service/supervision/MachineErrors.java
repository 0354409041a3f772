package dev.cotenant.service.supervision;

import dev.cotenant.admission.supervision.ProcessEnd;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import org.jboss.logging.Logger;

/**
 * Ends the process on a {@link VirtualMachineError} outside of the supervised loops: in event
 * loops, in the threads of requests and in those of HTTP clients. Most of them end it by {@code
 * -XX:+ExitOnOutOfMemoryError} before; those that Java code throws itself (direct memory) do not. A
 * stack that overflows is the end of one request, which a caller must not turn into that of all.
 */
@Singleton
final class MachineErrors {
  private static final Logger LOG = Logger.getLogger(MachineErrors.class);
  private static final byte[] LAST_WORDS =
      "cotenant: the Java runtime has failed, so the process ends\n"
          .getBytes(StandardCharsets.UTF_8);

  void start(@Observes StartupEvent event, Vertx vertx) {
    Thread.UncaughtExceptionHandler handler = handler(ProcessEnd.HALT);
    Thread.setDefaultUncaughtExceptionHandler(handler);
    vertx.exceptionHandler(failure -> handler.uncaughtException(Thread.currentThread(), failure));
  }

  /** Ends the process where it must, and logs everything else. */
  static Thread.UncaughtExceptionHandler handler(ProcessEnd end) {
    return (thread, failure) -> {
      if (failure instanceof VirtualMachineError && !(failure instanceof StackOverflowError)) {
        end.end(LAST_WORDS);
      } else {
        LOG.errorf(failure, "Uncaught in the thread '%s'", thread.getName());
      }
    };
  }
}
