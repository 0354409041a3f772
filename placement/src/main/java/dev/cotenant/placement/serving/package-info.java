/** Latency objectives of services: queues of requests and the slowdown that an objective stands. */
@NullMarked
package dev.cotenant.placement.serving;

import org.jspecify.annotations.NullMarked;
