// Stands for the classes of Android's package android.app that the SDKs name, so that a compiler can check them. Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package android.app

import android.content.Context
import android.content.Intent
import android.graphics.drawable.Icon

open class Service : Context()

open class Activity : Context() {
  var intent: Intent? = null

  fun requestPermissions(permissions: Array<String>, requestCode: Int) = Unit
}

class PendingIntent {
  companion object {
    const val FLAG_IMMUTABLE = 1
    const val FLAG_UPDATE_CURRENT = 2

    @JvmStatic fun getActivity(context: Context, requestCode: Int, intent: Intent, flags: Int): PendingIntent = PendingIntent()

    @JvmStatic fun getBroadcast(context: Context, requestCode: Int, intent: Intent, flags: Int): PendingIntent = PendingIntent()
  }
}

class NotificationChannel(id: String, name: CharSequence, importance: Int)

class NotificationManager {
  fun getNotificationChannel(id: String): NotificationChannel? = null

  fun createNotificationChannel(channel: NotificationChannel) = Unit

  fun notify(tag: String?, id: Int, notification: Notification) = Unit

  fun cancel(tag: String?, id: Int) = Unit

  companion object {
    const val IMPORTANCE_DEFAULT = 3
  }
}

class Notification {
  abstract class Style

  class BigTextStyle : Style() {
    fun bigText(text: CharSequence?): BigTextStyle = this
  }

  class Action {
    class Builder(icon: Icon?, title: CharSequence, intent: PendingIntent) {
      fun build(): Action = Action()
    }
  }

  class Builder(context: Context, channelId: String) {
    @Deprecated("Takes a channel from API level 26 on") constructor(context: Context) : this(context, "")

    fun setSmallIcon(icon: Int): Builder = this

    fun setContentTitle(title: CharSequence?): Builder = this

    fun setContentText(text: CharSequence?): Builder = this

    fun setStyle(style: Style): Builder = this

    fun setAutoCancel(auto: Boolean): Builder = this

    fun setContentIntent(intent: PendingIntent): Builder = this

    fun setDeleteIntent(intent: PendingIntent): Builder = this

    fun addAction(action: Action): Builder = this

    fun build(): Notification = Notification()
  }
}
