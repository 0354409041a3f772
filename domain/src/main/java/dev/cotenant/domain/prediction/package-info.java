/** What a workload will do before it runs, with bounds. */
@NullMarked
package dev.cotenant.domain.prediction;

import org.jspecify.annotations.NullMarked;
