package dev.cotenant.admission.kubernetes.state;

import dev.cotenant.admission.state.PersistedState;

/** The persisted state of earlier leaders. */
public interface StateSource {
  /** Without persisted state. */
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
   * Claims the state for a term; blocks.
   *
   * @throws dev.cotenant.admission.state.NotClaimedException when that fails; a retry is safe
   */
  PersistedState claim(long term);

  /** Ends the term: nothing is persisted any more. */
  void close();
}
