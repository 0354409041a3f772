/** Authentication and authorization of remote callers. */
@NullMarked
package dev.cotenant.service.access;

import org.jspecify.annotations.NullMarked;
