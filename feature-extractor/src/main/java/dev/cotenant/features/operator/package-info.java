/** Shape and cost rules of the operators, one family a file. */
@NullMarked
package dev.cotenant.features.operator;

import org.jspecify.annotations.NullMarked;
