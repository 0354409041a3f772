/** Keys and certificates. */
@NullMarked
package dev.cotenant.domain.tls;

import org.jspecify.annotations.NullMarked;
