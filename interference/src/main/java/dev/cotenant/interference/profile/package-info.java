/** What is known of devices and workloads from profiling, and the file that keeps it. */
@NullMarked
package dev.cotenant.interference.profile;

import org.jspecify.annotations.NullMarked;
