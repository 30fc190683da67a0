// Stands for the classes of Android's package android.content and what they need. An intent keeps its extras.
@file:Suppress("UNUSED_PARAMETER")

package android.content

import android.app.NotificationManager
import android.content.pm.ApplicationInfo
import android.content.pm.PackageManager
import android.os.Bundle
import java.io.File

open class Context {
  val applicationContext: Context get() = this
  val noBackupFilesDir: File get() = directory
  val packageManager: PackageManager get() = PackageManager()
  val packageName: String get() = ""
  val applicationInfo: ApplicationInfo get() = ApplicationInfo()

  fun getSystemService(name: String): Any? = NotificationManager()

  fun checkSelfPermission(permission: String): Int = 0

  companion object {
    const val NOTIFICATION_SERVICE = "notification"
    var directory = File(".")
  }
}

class Intent() {
  constructor(context: Context, type: Class<*>) : this()

  private val kept = HashMap<String, String?>()
  val extras: Bundle? get() = Bundle(kept.keys)

  fun getStringExtra(name: String): String? = kept[name]

  fun putExtra(name: String, value: String?): Intent = apply { kept[name] = value }

  fun removeExtra(name: String) {
    kept.remove(name)
  }

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
