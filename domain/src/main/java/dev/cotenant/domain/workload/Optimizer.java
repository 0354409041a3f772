package dev.cotenant.domain.workload;

/** The rule that updates weights in training, by the states that it stores for each parameter. */
public enum Optimizer {
  SGD(0),
  /** SGD with momentum. */
  MOMENTUM(1),
  RMSPROP(1),
  ADAGRAD(1),
  ADAM(2),
  ADAMW(2);

  private final int states;

  Optimizer(int states) {
    this.states = states;
  }

  /** Reads the lower-case name, such as {@code adam}. */
  public static Optimizer parse(String text) {
    return Choice.parse("optimizer", Optimizer.class, text);
  }

  /** Stored values for each parameter, each of a weight's size. */
  public int statesPerParameter() {
    return states;
  }

  @Override
  public String toString() {
    return Choice.text(this);
  }
}
