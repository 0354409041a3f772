package dev.cotenant.admission.kubernetes.state;

import dev.cotenant.admission.state.PersistedState;

/** What earlier leaders left beside the annotations of pods. */
public interface StateSource {
  /** Nothing is left. */
  StateSource NONE =
      new StateSource() {
        @Override
        public PersistedState claim(long term) {
          return PersistedState.NOTHING;
        }

        @Override
        public void close() {}
      };

  /**
   * Takes it over for a term; waits for that.
   *
   * @throws dev.cotenant.admission.state.NotClaimedException when that did not work; it is tried
   *     again
   */
  PersistedState claim(long term);

  /** The term is over: nothing is kept any more. */
  void close();
}
