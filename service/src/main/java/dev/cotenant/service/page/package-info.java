/** The web page. */
@NullMarked
package dev.cotenant.service.page;

import org.jspecify.annotations.NullMarked;
