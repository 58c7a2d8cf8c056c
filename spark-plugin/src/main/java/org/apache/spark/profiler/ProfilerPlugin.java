package org.apache.spark.profiler;

import dev.charcloth.spark.CharclothPlugin;

/** The name of Spark's profiler since 4.0; a job configured for it records with Charcloth. */
public final class ProfilerPlugin extends CharclothPlugin {
}
