/** Networks on text, points and tables. */
@NullMarked
package dev.cotenant.zoo.sequence;

import org.jspecify.annotations.NullMarked;
