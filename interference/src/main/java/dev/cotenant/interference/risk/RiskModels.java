package dev.cotenant.interference.risk;

/**
 * The risk models of a cluster: one for each namespace, which learns from measurements of the
 * victims of that namespace alone, so that no namespace moves the risks of others.
 */
@FunctionalInterface
public interface RiskModels {
  /** Without measurements. */
  RiskModels UNTRAINED =
      new RiskModels() {
        private final RiskModel model = new RiskModel(RiskPrior.STATED);

        @Override
        public RiskModel of(String namespace) {
          return model;
        }

        @Override
        public boolean areTrained() {
          return false;
        }
      };

  /**
   * The model of a namespace; not written to any more, so that a decision sees one state.
   *
   * @param namespace of the victim
   */
  RiskModel of(String namespace);

  /** Whether any of them has learned anything. */
  default boolean areTrained() {
    return true;
  }

  /** The same object as long as all models are the same. */
  default Object state() {
    return this;
  }
}
