// Stands for the class of Android that says what the phone is, so that the test on a JVM shows that `Herald.kt` finds its fields.
package android.os

object Build {
  const val MODEL = "Pixel 9"

  object VERSION {
    const val RELEASE = "16"
  }
}
