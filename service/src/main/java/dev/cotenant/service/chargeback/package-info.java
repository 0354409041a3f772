/** Who takes which part of the memory of each GPU, for chargeback. */
@NullMarked
package dev.cotenant.service.chargeback;

import org.jspecify.annotations.NullMarked;
