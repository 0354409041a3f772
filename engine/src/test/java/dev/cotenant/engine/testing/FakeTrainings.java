package dev.cotenant.engine.testing;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.Training;
import dev.cotenant.engine.lifecycle.Training.State;
import dev.cotenant.engine.lifecycle.TrainingStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Trainings in memory. */
final class FakeTrainings implements TrainingStore {
  private final Runnable requireUp;
  private final List<Training> all = new ArrayList<>();

  FakeTrainings(Runnable requireUp) {
    this.requireUp = requireUp;
  }

  @Override
  public synchronized Training enqueue(String id, Instant at) {
    requireUp.run();
    open()
        .ifPresent(open -> {
          throw new ConflictException("training-running", "Training " + open.id() + " is open.");
        });
    Training training = Training.queued(id, at);
    all.add(training);
    return training;
  }

  private static boolean isOpen(Training training) {
    return training.state() == Training.State.QUEUED || training.state() == Training.State.RUNNING;
  }

  private Optional<Training> open() {
    return all.stream().filter(FakeTrainings::isOpen).findAny();
  }

  @Override
  public synchronized List<Training> newest(int limit) {
    requireUp.run();
    return all.reversed().stream().limit(limit).toList();
  }

  @Override
  public synchronized Optional<Training> find(String id) {
    requireUp.run();
    return all.stream().filter(training -> training.id().equals(id)).findAny();
  }

  @Override
  public synchronized Optional<Training> claim(String replica, Instant staleBefore, Instant at) {
    requireUp.run();
    return open()
        .filter(open -> open.state() == State.QUEUED || open.updatedAt().isBefore(staleBefore))
        .map(open ->
            replace(
                new Training(
                    open.id(),
                    State.RUNNING,
                    Training.Progress.NONE,
                    open.queuedAt(),
                    at,
                    replica,
                    null,
                    "")));
  }

  @Override
  public synchronized boolean advance(Training training, Training.Progress progress, Instant at) {
    requireUp.run();
    return mine(training)
        .map(found ->
            replace(
                new Training(
                    found.id(),
                    found.state(),
                    progress,
                    found.queuedAt(),
                    at,
                    found.replica(),
                    null,
                    "")))
        .isPresent();
  }

  @Override
  public synchronized boolean end(Training training, Training.Outcome outcome, Instant at) {
    requireUp.run();
    return mine(training).map(found -> replace(ended(found, outcome, at))).isPresent();
  }

  private Optional<Training> mine(Training training) {
    return find(training.id())
        .filter(found -> found.state() == State.RUNNING)
        .filter(found -> Objects.equals(found.replica(), training.replica()));
  }

  private static Training ended(Training found, Training.Outcome outcome, Instant at) {
    return new Training(
        found.id(),
        outcome.state(),
        found.progress(),
        found.queuedAt(),
        at,
        found.replica(),
        outcome.version(),
        outcome.message());
  }

  @Override
  public synchronized Training cancel(String id, Instant at) {
    Training found =
        find(id)
            .orElseThrow(() ->
                InputException.notFound("unknown-training", "There is no training " + id + "."));
    if (!isOpen(found)) {
      throw new ConflictException("training-ended", "Training " + id + " has ended.");
    }
    return replace(ended(found, Training.Outcome.cancelled(), at));
  }

  private Training replace(Training training) {
    all.replaceAll(there -> there.id().equals(training.id()) ? training : there);
    return training;
  }
}
