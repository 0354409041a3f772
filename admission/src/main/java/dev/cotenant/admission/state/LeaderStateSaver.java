package dev.cotenant.admission.state;

import java.util.function.Consumer;

/** Port: persists the leader state for the next leader, in place of the state before. */
@FunctionalInterface
public interface LeaderStateSaver {
  /** For a process without successors: nothing is persisted. */
  LeaderStateSaver NONE = (_, _, done) -> done.accept(new LeaderStateStore.Result.Persisted());

  /** Returns at once; {@code done} receives the result exactly once, on any thread. */
  void save(long term, LeaderState state, Consumer<LeaderStateStore.Result> done);
}
