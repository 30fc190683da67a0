// Stands for the classes of Android's package android.content and what they need. Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package android.content

import android.content.pm.ApplicationInfo
import android.content.pm.PackageManager
import android.os.Bundle
import java.io.File

open class Context {
  val applicationContext: Context get() = this
  val noBackupFilesDir: File get() = File(".")
  val packageManager: PackageManager get() = PackageManager()
  val packageName: String get() = ""
  val applicationInfo: ApplicationInfo get() = ApplicationInfo()

  fun getSystemService(name: String): Any? = null

  fun checkSelfPermission(permission: String): Int = 0

  companion object {
    const val NOTIFICATION_SERVICE = "notification"
  }
}

class Intent() {
  constructor(context: Context, type: Class<*>) : this()

  val extras: Bundle? = null

  fun getStringExtra(name: String): String? = null

  fun putExtra(name: String, value: String?): Intent = this

  fun removeExtra(name: String) = Unit

  fun addFlags(flags: Int): Intent = this

  companion object {
    const val FLAG_ACTIVITY_SINGLE_TOP = 1
  }
}

abstract class BroadcastReceiver {
  abstract fun onReceive(context: Context, intent: Intent)

  fun goAsync(): PendingResult = PendingResult()

  class PendingResult {
    fun finish() = Unit
  }
}
