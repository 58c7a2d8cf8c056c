package software.amazon.profiler;

import dev.charcloth.spark.CharclothPlugin;

/** The name of CodeGuru's plugin; a job configured for it records with Charcloth. */
public final class AmazonProfilerPlugin extends CharclothPlugin {
}
