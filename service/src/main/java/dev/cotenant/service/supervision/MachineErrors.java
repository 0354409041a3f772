package dev.cotenant.service.supervision;

import dev.cotenant.admission.supervision.Supervisor;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Vertx;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.jboss.logging.Logger;

/**
 * Gives the supervisor what nobody catches in event loops, in the threads of requests and in those
 * of HTTP clients. Most errors of the Java runtime end the process by {@code
 * -XX:+ExitOnOutOfMemoryError} before; those that Java code throws itself (direct memory) do not.
 */
@Singleton
final class MachineErrors {
  private static final Logger LOG = Logger.getLogger(MachineErrors.class);

  void start(@Observes StartupEvent event, Vertx vertx, Supervisor supervisor) {
    Thread.UncaughtExceptionHandler handler = handler(supervisor);
    Thread.setDefaultUncaughtExceptionHandler(handler);
    vertx.exceptionHandler(failure -> handler.uncaughtException(Thread.currentThread(), failure));
  }

  /** Ends the process where it must, and logs everything else. */
  static Thread.UncaughtExceptionHandler handler(Supervisor supervisor) {
    return (thread, failure) -> {
      supervisor.check(failure);
      LOG.errorf(failure, "Uncaught in the thread '%s'", thread.getName());
    };
  }
}
