/** Text from outside. */
@NullMarked
package dev.cotenant.domain.text;

import org.jspecify.annotations.NullMarked;
