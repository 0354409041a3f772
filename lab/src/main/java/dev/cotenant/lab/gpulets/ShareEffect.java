package dev.cotenant.lab.gpulets;

import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.glet.Size;

/** How a share makes a batch slower, where no latency was measured. */
enum ShareEffect {
  /** All but the kernels' own time in inverse proportion to the share [iGniter, equation 11]. */
  IN_PROPORTION {
    @Override
    double millis(WorkloadProfile profile, int batch, Size size) {
      return profile.activeTime().millis(batch, size.percent());
    }
  },

  /** All but the kernels' own time as much as shares of the same GPU slowed training runs. */
  AS_MEASURED {
    @Override
    double millis(WorkloadProfile profile, int batch, Size size) {
      double fixed = profile.activeTime().k5();
      double whole = profile.activeTime().millis(batch, Size.WHOLE.percent());
      return fixed + (whole - fixed) * stretch(batch, size);
    }
  },

  /** As measured on a half, for any size: for planners that treat a half as a GPU. */
  ON_A_HALF {
    @Override
    double millis(WorkloadProfile profile, int batch, Size size) {
      return AS_MEASURED.millis(profile, batch, Size.PERCENT_50);
    }
  };

  /*
   * Time of an iteration in a share over that on the whole GPU: medians of nine image networks that
   * were trained with PyTorch on an RTX 2080 Ti under MPS caps (SPREAD, without language models and
   * sets that look like copies of others). A forward pass alone keeps less of a GPU busy than an
   * iteration of the same batch, so that it errs to the slow side. Straight between batches, level beyond them.
   */
  private static final int[] BATCHES = {4, 8, 16, 32};
  private static final double[] AT_20 = {1.97, 2.58, 2.99, 2.97};
  private static final double[] AT_40 = {1.00, 1.00, 1.28, 1.62};
  private static final double[] AT_50 = {1.01, 1.00, 1.03, 1.30};
  private static final double[] AT_60 = {1.00, 1.00, 1.01, 1.02};

  /** Milliseconds of a batch alone. */
  abstract double millis(WorkloadProfile profile, int batch, Size size);

  private static double stretch(int batch, Size size) {
    return switch (size) {
      case PERCENT_20 -> at(batch, AT_20);
      case PERCENT_40 -> at(batch, AT_40);
      case PERCENT_50 -> at(batch, AT_50);
      case PERCENT_60 -> at(batch, AT_60);
      case PERCENT_80, WHOLE -> 1;
    };
  }

  private static double at(int batch, double[] stretches) {
    int above = 0;
    while (above < BATCHES.length && BATCHES[above] < batch) {
      above++;
    }
    if (above == 0 || above == BATCHES.length) {
      return stretches[Math.min(above, BATCHES.length - 1)];
    }
    double part = (double) (batch - BATCHES[above - 1]) / (BATCHES[above] - BATCHES[above - 1]);
    return stretches[above - 1] + part * (stretches[above] - stretches[above - 1]);
  }
}
