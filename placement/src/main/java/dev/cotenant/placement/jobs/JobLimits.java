package dev.cotenant.placement.jobs;

/**
 * What a packer promises of the GPUs that it packs.
 *
 * @param mostJobs on one GPU, at least 1
 * @param memory whose figures the memory of a GPU must hold
 * @param reserved GPUs of each kind that are not packed, as long as there is another
 */
record JobLimits(int mostJobs, Memory memory, int reserved) {
  /** Whose figures count, and whether they may take all there is. */
  enum Memory {
    /** The estimates of peak memory. */
    PREDICTED,
    /** What owners ask for. */
    REQUESTED,
    /** What owners ask for, and something must be left. */
    REQUESTED_LESS_THAN_ALL
  }
}
