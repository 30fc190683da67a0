// Stands for the classes of Android's package android.content.pm. Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package android.content.pm

import android.content.Intent
import android.os.Bundle

class ApplicationInfo {
  val icon = 0
  val metaData: Bundle? = null

  fun loadLabel(manager: PackageManager): CharSequence = ""
}

class PackageInfo {
  val versionName: String? = null
}

class PackageManager {
  fun getPackageInfo(name: String, flags: Int): PackageInfo = PackageInfo()

  fun getApplicationInfo(name: String, flags: Int): ApplicationInfo = ApplicationInfo()

  fun getLaunchIntentForPackage(name: String): Intent? = null

  companion object {
    const val GET_META_DATA = 128
    const val PERMISSION_GRANTED = 0
  }
}
