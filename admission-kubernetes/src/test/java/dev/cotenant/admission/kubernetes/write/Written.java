package dev.cotenant.admission.kubernetes.write;

import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Waits for the result of a write. */
final class Written {
  private Written() {}

  static <R> R await(Consumer<Consumer<R>> write) throws InterruptedException {
    BlockingQueue<R> results = new LinkedBlockingQueue<>();
    write.accept(results::add);
    return Objects.requireNonNull(results.poll(60, TimeUnit.SECONDS), "no result in 60 s");
  }
}
