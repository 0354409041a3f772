/** Who may call the interface from elsewhere. */
@NullMarked
package dev.cotenant.service.access;

import org.jspecify.annotations.NullMarked;
