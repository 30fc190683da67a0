// Stands for the classes of Android's package android.os. Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package android.os

object Build {
  const val MODEL = "Pixel 9"

  object VERSION {
    const val RELEASE = "16"
    const val SDK_INT = 36
  }
}

class Bundle(private val names: Set<String> = emptySet()) {
  fun keySet(): Set<String> = names

  fun getBoolean(name: String, otherwise: Boolean): Boolean = otherwise
}

class Looper {
  companion object {
    @JvmStatic fun getMainLooper(): Looper = Looper()
  }
}

class Handler(looper: Looper) {
  fun post(work: Runnable): Boolean = true
}
