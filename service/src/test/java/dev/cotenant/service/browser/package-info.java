/** The service as web pages see it, in a real browser. */
@NullMarked
package dev.cotenant.service.browser;

import org.jspecify.annotations.NullMarked;
