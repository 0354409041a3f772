/** The gate controller of this process, and what it shows. */
@NullMarked
package dev.cotenant.service.gate;

import org.jspecify.annotations.NullMarked;
