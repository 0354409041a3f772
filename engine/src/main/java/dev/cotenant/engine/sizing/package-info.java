/** The memory that workloads request, use and need, from the history of a metrics server. */
@NullMarked
package dev.cotenant.engine.sizing;

import org.jspecify.annotations.NullMarked;
