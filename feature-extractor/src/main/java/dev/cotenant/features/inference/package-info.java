/** Facts about tensors before execution, and the rules that derive them. */
@NullMarked
package dev.cotenant.features.inference;

import org.jspecify.annotations.NullMarked;
