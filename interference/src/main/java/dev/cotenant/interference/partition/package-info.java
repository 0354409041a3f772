/** Inference in MPS partitions: iGniter, gpu-lets, InSS and calibration on measured pairs. */
@NullMarked
package dev.cotenant.interference.partition;

import org.jspecify.annotations.NullMarked;
