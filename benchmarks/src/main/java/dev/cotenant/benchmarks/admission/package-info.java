/** How long the gate controller takes in a large cluster. */
@NullMarked
package dev.cotenant.benchmarks.admission;

import org.jspecify.annotations.NullMarked;
