/** The decisions that were made, for metrics and people. */
@NullMarked
package dev.cotenant.service.decisions;

import org.jspecify.annotations.NullMarked;
