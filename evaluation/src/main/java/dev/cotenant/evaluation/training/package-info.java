/** Speeds of colocated training jobs, learned from measured pairs. */
@NullMarked
package dev.cotenant.evaluation.training;

import org.jspecify.annotations.NullMarked;
