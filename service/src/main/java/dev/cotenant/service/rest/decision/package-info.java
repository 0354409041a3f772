/** REST: Decisions, explanations, GPUs, the queue, reservations and plans. */
@NullMarked
package dev.cotenant.service.rest.decision;

import org.jspecify.annotations.NullMarked;
