/** How long pods are expected to stay, by past runs of their workload. */
@NullMarked
package dev.cotenant.engine.stay;

import org.jspecify.annotations.NullMarked;
