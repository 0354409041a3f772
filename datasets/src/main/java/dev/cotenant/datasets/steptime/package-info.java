/** Published step times, latencies and throughputs of networks on devices and parts of them. */
@NullMarked
package dev.cotenant.datasets.steptime;

import org.jspecify.annotations.NullMarked;
