package dev.cotenant.admission.supervision;

/** One round of a loop. The supervisor runs it again and again on one thread. */
@FunctionalInterface
public interface Step {
  /**
   * One round; an interrupt means that the loop ends or is stuck.
   *
   * @param heart beats before every round; a round beats more often where it takes long
   */
  void run(Heartbeat heart) throws InterruptedException;
}
