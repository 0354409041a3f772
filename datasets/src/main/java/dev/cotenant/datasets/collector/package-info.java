/** What the collector measured: runs with their exported graphs beside them. */
@NullMarked
package dev.cotenant.datasets.collector;

import org.jspecify.annotations.NullMarked;
