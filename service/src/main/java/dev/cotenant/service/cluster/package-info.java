/** What the service knows of its cluster. */
@NullMarked
package dev.cotenant.service.cluster;

import org.jspecify.annotations.NullMarked;
