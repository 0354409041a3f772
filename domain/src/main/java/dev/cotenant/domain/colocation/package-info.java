/** Measured runs of workloads that share a GPU, the rows that interference models learn from. */
@NullMarked
package dev.cotenant.domain.colocation;

import org.jspecify.annotations.NullMarked;
