package dev.cotenant.admission.kubernetes.access;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/** One call for all threads that need the same answer at the same time. */
final class SingleFlight<K, V> {
  private final ConcurrentMap<K, CompletableFuture<V>> underWay = new ConcurrentHashMap<>();

  /** The answer of the call that is under way for this key, else of a new one. */
  V call(K key, Supplier<V> call) {
    CompletableFuture<V> own = new CompletableFuture<>();
    CompletableFuture<V> other = underWay.putIfAbsent(key, own);
    if (other != null) {
      return other.join();
    }
    try {
      V answer = call.get();
      own.complete(answer);
      return answer;
    } finally {
      underWay.remove(key, own);
      own.cancel(false); // only where the call threw
    }
  }
}
