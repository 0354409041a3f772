package dev.cotenant.simulator.world;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A policy's own queue, which replaces the simulation's. */
public interface OwnQueue {
  /**
   * The jobs that start now. Called once after all events of an instant in which a job came to the
   * queue, a GPU lost a job or {@link #next} had passed.
   */
  List<Assignment> assign(View view);

  /**
   * A queued job and where it starts.
   *
   * @param job its job
   * @param start its GPU
   */
  record Assignment(JobView job, Placement.Start start) {}

  /**
   * The longest time until the next call while jobs wait; empty where time alone changes nothing.
   */
  Optional<Duration> next();
}
