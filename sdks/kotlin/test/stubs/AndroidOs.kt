// Stands for the classes of Android's package android.os. Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package android.os

object Build {
  object VERSION {
    const val SDK_INT = 36
  }
}

class Bundle {
  fun keySet(): Set<String> = emptySet()

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
