/** Networks on small images. */
@NullMarked
package dev.cotenant.zoo.small;

import org.jspecify.annotations.NullMarked;
