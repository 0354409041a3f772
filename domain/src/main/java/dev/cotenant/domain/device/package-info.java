/** GPUs as products: memory, peak rates, and the catalogue of known ones. */
@NullMarked
package dev.cotenant.domain.device;

import org.jspecify.annotations.NullMarked;
