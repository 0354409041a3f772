/** Interference between colocated workloads. */
@NullMarked
package dev.cotenant.interference;

import org.jspecify.annotations.NullMarked;
