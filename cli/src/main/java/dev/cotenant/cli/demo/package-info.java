/** The cluster of the demo: an API server, kubelets and metrics in this process. */
@NullMarked
package dev.cotenant.cli.demo;

import org.jspecify.annotations.NullMarked;
