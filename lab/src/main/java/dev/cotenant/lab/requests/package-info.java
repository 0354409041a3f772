/**
 * Streams of inference requests on partitions of GPUs over time, with the future rates out of reach
 * of policies.
 */
@NullMarked
package dev.cotenant.lab.requests;

import org.jspecify.annotations.NullMarked;
