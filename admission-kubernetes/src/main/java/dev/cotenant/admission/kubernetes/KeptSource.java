package dev.cotenant.admission.kubernetes;

import dev.cotenant.admission.gate.Kept;

/** What earlier leaders left beside the annotations of pods. */
public interface KeptSource {
  /** Nothing is left. */
  KeptSource NONE =
      new KeptSource() {
        @Override
        public Kept claim(long term) {
          return Kept.NOTHING;
        }

        @Override
        public void close() {}
      };

  /**
   * Takes it over for a term; waits for that.
   *
   * @throws dev.cotenant.admission.kept.NotClaimedException when that did not work; it is tried
   *     again
   */
  Kept claim(long term);

  /** The term is over: nothing is kept any more. */
  void close();
}
