/** How many workloads two copies of which fit on one GPU, and how often such bounds hold. */
@NullMarked
package dev.cotenant.evaluation.shareability;

import org.jspecify.annotations.NullMarked;
