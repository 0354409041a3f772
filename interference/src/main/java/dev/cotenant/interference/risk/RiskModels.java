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

  /** Whether any namespace's model has learned from rows. */
  default boolean areTrained() {
    return true;
  }

  /** Identity of the current models; a new object whenever a model changes. */
  default Object state() {
    return this;
  }

  /**
   * Where the speeds of a victim come from that a namespace's model has learned; empty where there
   * are none.
   */
  default String source(String namespace, String device, SharedJob victim) {
    return "";
  }
}
