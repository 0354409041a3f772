/** Load on a running service. */
@NullMarked
package dev.cotenant.benchmarks.rest;

import org.jspecify.annotations.NullMarked;
