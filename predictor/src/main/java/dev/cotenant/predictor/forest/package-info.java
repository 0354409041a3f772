/** The compact forest: what is stored, loaded and evaluated, without the library that trains it. */
@NullMarked
package dev.cotenant.predictor.forest;

import org.jspecify.annotations.NullMarked;
