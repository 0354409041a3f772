package dev.cotenant.admission.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.api.RequestQueue.Result;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.Fault;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One request at a time. */
class RequestQueueTest {
  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private final RequestQueue queue =
      new RequestQueue(bench.loopContext(), new RequestQueue.Limits(1, 8), () -> true);
  private final List<Result> results = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void sendsTheNextRequestAfterACallbackThatFailed() {
    queue.send(
        ApiCall.get("/api/v1/pods"),
        _ -> {
          throw new IllegalStateException("a defect");
        });
    queue.send(ApiCall.get("/api/v1/pods"), results::add);

    Eventually.holds("the second request is answered", () -> results.size() == 1);
    assertThat(results.getFirst()).isInstanceOf(Result.Answered.class);
  }

  @Test
  void sendsTheNextRequestAfterOneThatCannotBeSent() {
    queue.send(ApiCall.get("no path"), results::add);
    queue.send(ApiCall.get("/api/v1/pods"), results::add);

    Eventually.holds("both have a result", () -> results.size() == 2);
    assertThat(results.getFirst()).isInstanceOf(Result.Unanswered.class);
    assertThat(results.getLast()).isInstanceOf(Result.Answered.class);
  }

  @Test
  void givesUpManyRequestsInOneStackFrame() {
    int many = 50_000;
    List<Result> refused = new ArrayList<>();
    AtomicReference<RequestQueue> leading = new AtomicReference<>();
    RequestQueue lost =
        new RequestQueue(
            bench.loopContext(),
            new RequestQueue.Limits(1, many),
            () -> {
              RequestQueue busy = leading.getAndSet(null); // while the first is under way
              for (int i = 0; busy != null && i < many; i++) {
                busy.send(ApiCall.get("/api/v1/pods"), refused::add);
              }
              return false;
            });
    leading.set(lost);

    lost.send(ApiCall.get("/api/v1/pods"), refused::add);

    assertThat(refused).hasSize(many + 1).allMatch(Result.NotSent.class::isInstance);
  }

  @Test
  void sendsTheNextRequestAfterAnErrorOfTheOneBefore() {
    Fault fault = new Fault(Fault.Kind.LINKAGE);
    sendTwo(fault);

    assertThat(results.getFirst())
        .isEqualTo(new Result.Unanswered("NoClassDefFoundError: injected"));
    assertThat(results.getLast()).isInstanceOf(Result.Answered.class);
    assertThat(bench.process.lastWords()).isEmpty();
  }

  @Test
  void anErrorOfTheRuntimeEndsTheProcess() {
    sendTwo(new Fault(Fault.Kind.OUT_OF_MEMORY));

    assertThat(bench.process.lastWords()).hasSize(1);
  }

  private void sendTwo(Fault fault) {
    RequestQueue failing =
        new RequestQueue(
            bench.loopContext(),
            new RequestQueue.Limits(1, 8),
            () -> {
              fault.strike();
              return true;
            });
    failing.send(ApiCall.get("/api/v1/pods"), results::add);
    failing.send(ApiCall.get("/api/v1/pods"), results::add);
    Eventually.holds("both have a result", () -> results.size() == 2);
  }
}
