/** Speeds of colocated training jobs, learnt from measured pairs. */
@NullMarked
package dev.cotenant.evaluation.training;

import org.jspecify.annotations.NullMarked;
