/** Networks on images of the size that ImageNet is trained with. */
@NullMarked
package dev.cotenant.zoo.image;

import org.jspecify.annotations.NullMarked;
