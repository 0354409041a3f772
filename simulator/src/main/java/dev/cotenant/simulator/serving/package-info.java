/**
 * Streams of inference requests on partitions of GPUs over time, with the future rates out of reach
 * of policies.
 */
@NullMarked
package dev.cotenant.simulator.serving;

import org.jspecify.annotations.NullMarked;
