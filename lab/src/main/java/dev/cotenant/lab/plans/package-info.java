/** Plans of recorded fleets by every strategy: GPUs, faults, and requests in time. */
@NullMarked
package dev.cotenant.lab.plans;

import org.jspecify.annotations.NullMarked;
