/** What all evaluations share: figures over seeds or folds, errors, and reference figures. */
@NullMarked
package dev.cotenant.evaluation;

import org.jspecify.annotations.NullMarked;
