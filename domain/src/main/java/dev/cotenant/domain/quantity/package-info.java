/** Quantities as types: no bare number crosses a module boundary without its unit. */
@NullMarked
package dev.cotenant.domain.quantity;

import org.jspecify.annotations.NullMarked;
