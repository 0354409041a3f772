/** How long pods are expected to stay, by past runs of their workload. */
@NullMarked
package dev.cotenant.engine.lifetime;

import org.jspecify.annotations.NullMarked;
