/** Gradient-boosted regression trees: learning, evaluation and their form in files. */
@NullMarked
package dev.cotenant.learning.trees;

import org.jspecify.annotations.NullMarked;
