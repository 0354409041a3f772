package dev.cotenant.simulator.replay;

import dev.cotenant.simulator.world.SpeedModel;

/** True speeds of colocated jobs. Policies do not see it. */
public interface SpeedTruth {
  /** Of the stated error, as a part of the speed that the curve takes away; measured by a test. */
  double DEVIATION = 0.66;

  /** Not measured: the shipped curve with its error. */
  SpeedTruth STATED =
      new SpeedTruth() {
        @Override
        public SpeedModel draw(int draw) {
          return new StatedError(draw);
        }

        @Override
        public String text() {
          return StatedError.TEXT;
        }
      };

  /** The pace in one draw of errors; loads are named by the configurations of jobs. */
  SpeedModel draw(int draw);

  /** Whether anything is known of two configurations beside each other. */
  default boolean mayShare(String one, String other) {
    return true;
  }

  /** Whether draws differ. */
  default boolean isUncertain() {
    return true;
  }

  /** Where it comes from, in a few words. */
  String text();
}
