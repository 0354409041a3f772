/** Load on the webhooks of a running service. */
@NullMarked
package dev.cotenant.benchmarks.webhook;

import org.jspecify.annotations.NullMarked;
