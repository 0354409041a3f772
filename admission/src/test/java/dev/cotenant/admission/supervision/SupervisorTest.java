package dev.cotenant.admission.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.supervision.LoopState.Condition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SupervisorTest {
  private static final Duration HEALED_WITHIN = Duration.ofSeconds(30);
  private static final Duration MAX_SILENCE = Duration.ofSeconds(20);

  private final FakeProcess process = new FakeProcess();
  private final AtomicInteger rounds = new AtomicInteger();

  /** What the loop's next rounds do; a loop without any waits. */
  private final LinkedBlockingQueue<Step> next = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    process.supervisor.close();
  }

  private Loop restarted() {
    return process.supervisor.start(LoopPlan.restarted("copy", MAX_SILENCE), this::round);
  }

  private Loop vital() {
    return process.supervisor.start(LoopPlan.vital("copy", MAX_SILENCE), this::round);
  }

  private void round(Heartbeat heart) throws InterruptedException {
    heart.beatBefore(Duration.ofDays(1));
    Step step = next.take();
    heart.beat();
    rounds.incrementAndGet();
    step.run(heart);
  }

  private static Step failing(Throwable failure) {
    return _ -> SupervisorTest.<RuntimeException>sneak(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable failure) throws T {
    throw (T) failure;
  }

  private static void eventually(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("within a minute").isLessThan(end);
      Thread.sleep(5);
    }
  }

  private Condition condition() {
    return process.supervisor.loops().getFirst().condition();
  }

  private void dies(Throwable failure) throws InterruptedException {
    int before = rounds.get();
    next.add(failing(failure));
    eventually(() -> rounds.get() > before && condition() == Condition.DEAD);
    awaitThreadsEnd();
  }

  /** The state is set just before the thread ends. */
  private static void awaitThreadsEnd() throws InterruptedException {
    eventually(() -> FakeProcess.threads("copy").findAny().isEmpty());
  }

  static List<Throwable> failures() {
    return List.of(
        new NoClassDefFoundError("made up"),
        new ExceptionInInitializerError("made up"),
        new AssertionError("made up"),
        new IllegalStateException("made up"),
        new InterruptedException("made up"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void restartsALoopThatDies(Throwable failure) throws InterruptedException {
    restarted();
    dies(failure);
    process.pass(Duration.ofSeconds(1));

    assertThat(condition()).isEqualTo(Condition.ALIVE);
    assertThat(process.supervisor.restarts("copy")).isEqualTo(1);
    int before = rounds.get();
    next.add(_ -> {});
    eventually(() -> rounds.get() > before);
    assertThat(process.lastWords()).isEmpty();
    assertThat(process.heard())
        .containsExactly("copy started", "copy restarted after " + failure.getMessage());
  }

  @Test
  void endsTheProcessWhenALoopDiesAgainAndAgain() throws InterruptedException {
    restarted();
    int seconds = 0;
    while (process.lastWords().isEmpty()) {
      if (condition() == Condition.ALIVE) {
        dies(new LinkageError("made up"));
      }
      process.pass(Duration.ofSeconds(1));
      seconds++;
    }

    assertThat(process.supervisor.restarts("copy")).isEqualTo(Loop.RESTARTS);
    assertThat(Duration.ofSeconds(seconds)).isLessThan(HEALED_WITHIN);
    assertThat(process.lastWords())
        .containsExactly("cotenant: the loop 'copy' has failed, so the process ends\n");
  }

  @Test
  void forgivesRestartsOfLongAgo() throws InterruptedException {
    restarted();
    for (int i = 0; i < 2 * Loop.RESTARTS; i++) {
      dies(new LinkageError("made up"));
      process.pass(Duration.ofSeconds(1));
      assertThat(condition()).isEqualTo(Condition.ALIVE);
      eventually(() -> FakeProcess.isWaiting("copy"));
      process.pass(Loop.WINDOW);
    }

    assertThat(process.lastWords()).isEmpty();
  }

  static List<VirtualMachineError> machineErrors() {
    return List.of(new OutOfMemoryError("made up"), new InternalError("made up"));
  }

  @ParameterizedTest
  @MethodSource("machineErrors")
  void endsTheProcessOnAnErrorOfTheJavaRuntimeWithoutLogging(VirtualMachineError error)
      throws InterruptedException {
    restarted();
    dies(error);

    assertThat(process.lastWords()).hasSize(1);
    assertThat(process.heard()).containsExactly("copy started");
    assertThat(condition()).isEqualTo(Condition.DEAD);
  }

  @Test
  void endsTheProcessOnAStackThatOverflowedAndSaysSo() throws InterruptedException {
    restarted();
    dies(new StackOverflowError("made up"));

    assertThat(process.lastWords()).hasSize(1);
    assertThat(process.heard()).containsExactly("copy started", "copy ends the process: made up");
  }

  @Test
  void endsTheProcessWhenAVitalLoopDies() throws InterruptedException {
    vital();
    dies(new NoClassDefFoundError("made up"));
    process.pass(Duration.ofSeconds(5));

    assertThat(process.lastWords()).hasSize(1);
    assertThat(process.heard()).containsExactly("copy started", "copy ends the process: made up");
    assertThat(process.supervisor.restarts("copy")).isZero();
  }

  @Test
  void interruptsAndRestartsALoopThatIsStuck() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    restarted();
    next.add(_ -> never.await());
    eventually(() -> rounds.get() == 1);
    process.pass(MAX_SILENCE);
    assertThat(condition()).isEqualTo(Condition.ALIVE);
    process.pass(Duration.ofSeconds(1));
    awaitThreadsEnd();
    assertThat(condition()).isEqualTo(Condition.DEAD);
    process.pass(Duration.ofSeconds(1));

    assertThat(condition()).isEqualTo(Condition.ALIVE);
    assertThat(process.heard()).startsWith("copy started", "copy stuck");
    assertThat(process.supervisor.restarts("copy")).isEqualTo(1);
  }

  @Test
  void endsTheProcessWhenAStuckLoopIgnoresItsInterrupt() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    restarted();
    next.add(_ -> ignoringInterrupts(release));
    eventually(() -> rounds.get() == 1);
    process.pass(MAX_SILENCE.plusSeconds(1));
    assertThat(condition()).isEqualTo(Condition.STUCK);
    assertThat(process.lastWords()).isEmpty();
    process.pass(HEALED_WITHIN.minus(MAX_SILENCE).minusSeconds(1));

    assertThat(process.lastWords()).hasSize(1);
    assertThat(process.heard()).contains("copy ends the process: no heartbeat for 25 s");
    assertThat(process.supervisor.restarts("copy")).as("never two threads").isZero();
    release.countDown();
  }

  private static void ignoringInterrupts(CountDownLatch release) {
    boolean waiting = true;
    while (waiting) {
      try {
        release.await();
        waiting = false;
      } catch (InterruptedException e) {
        // a library that swallows it
      }
    }
  }

  @Test
  void endsTheProcessWhenAVitalLoopIsStuck() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    vital();
    next.add(_ -> never.await());
    eventually(() -> rounds.get() == 1);
    process.pass(MAX_SILENCE.plusSeconds(1));

    assertThat(process.lastWords()).hasSize(1);
    assertThat(condition()).isEqualTo(Condition.STUCK);
  }

  @Test
  void knowsALongRoundThatBeatsAndALongPauseThatIsAnnounced() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    LinkedBlockingQueue<Heartbeat> hearts = new LinkedBlockingQueue<>();
    restarted();
    next.add(given -> {
      hearts.add(given);
      never.await();
    });
    Heartbeat heart = hearts.take();
    for (int i = 0; i < 10; i++) {
      process.pass(MAX_SILENCE);
      heart.beat();
    }
    heart.beatBefore(Duration.ofMinutes(10));
    process.pass(Duration.ofMinutes(10).plus(MAX_SILENCE));
    assertThat(condition()).isEqualTo(Condition.ALIVE);
    process.pass(Duration.ofSeconds(1));

    assertThat(process.heard()).contains("copy stuck");
  }

  @Test
  void findsNoLoopStuckAfterTheProcessWasStopped() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    restarted();
    next.add(_ -> never.await());
    eventually(() -> rounds.get() == 1);
    process.jump(Duration.ofHours(1));

    assertThat(condition()).isEqualTo(Condition.ALIVE);
    assertThat(process.heard()).containsExactly("copy started");
  }

  @Test
  void leavesAClosedLoopAlone() throws InterruptedException {
    Loop loop = restarted();
    loop.close(Duration.ofMinutes(1));
    awaitThreadsEnd();
    process.pass(Duration.ofMinutes(1));

    assertThat(process.supervisor.loops()).isEmpty();
    assertThat(process.heard()).containsExactly("copy started");
  }

  @Test
  void endsALoopThatHasFinished() throws InterruptedException {
    restarted();
    next.add(Heartbeat::finish);
    awaitThreadsEnd();
    process.pass(Duration.ofMinutes(1));

    assertThat(process.supervisor.loops()).isEmpty();
    assertThat(rounds).hasValue(1);
  }

  @Test
  void showsThatTheWatchdogItselfIsSilent() {
    process.passUnwatched(Duration.ofSeconds(40));
    assertThat(process.supervisor.watchdogSilence()).hasSeconds(40);
    process.jump(Duration.ZERO);

    assertThat(process.supervisor.watchdogSilence()).isZero();
  }

  @Test
  void endsTheProcessWhenTheWatchdogDies() throws InterruptedException {
    List<byte[]> lastWords = new java.util.concurrent.CopyOnWriteArrayList<>();
    AtomicInteger requested = new AtomicInteger();
    try (Supervisor supervisor =
        new Supervisor(
            new Supervisor.Ports(
                () -> {
                  if (requested.incrementAndGet() > 3) {
                    throw new NoClassDefFoundError("made up");
                  }
                  return 0;
                },
                lastWords::add,
                SupervisionListener.NONE))) {
      supervisor.watch();
      eventually(() -> !lastWords.isEmpty());
    }
    assertThat(new String(lastWords.getFirst(), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("cotenant: the watchdog of all loops has failed, so the process ends\n");
  }

  @Test
  void aPlanNeedsANameAndALimit() {
    assertThatThrownBy(() -> LoopPlan.vital(" ", Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LoopPlan.vital("copy", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
