// Stands for the classes of Android's package android.app that the SDKs name. Notifications behave as Android's pages say: a notification with the tag
// of another replaces it (https://developer.android.com/reference/android/app/NotificationManager#notify(java.lang.String,%20int,%20android.app.Notification)),
// and its delete intent is sent when the user clears it
// (https://developer.android.com/reference/android/app/Notification#deleteIntent), so not when an app cancels or replaces it.
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

class PendingIntent(val intent: Intent) {
  companion object {
    const val FLAG_IMMUTABLE = 1
    const val FLAG_UPDATE_CURRENT = 2

    @JvmStatic fun getActivity(context: Context, requestCode: Int, intent: Intent, flags: Int): PendingIntent = PendingIntent(intent)

    @JvmStatic fun getBroadcast(context: Context, requestCode: Int, intent: Intent, flags: Int): PendingIntent = PendingIntent(intent)
  }
}

class NotificationChannel(id: String, name: CharSequence, importance: Int)

class NotificationManager {
  fun getNotificationChannel(id: String): NotificationChannel? = null

  fun createNotificationChannel(channel: NotificationChannel) = Unit

  fun notify(tag: String?, id: Int, notification: Notification) {
    shown[tag] = notification
    whenShown(tag)
  }

  fun cancel(tag: String?, id: Int) {
    shown.remove(tag)
  }

  companion object {
    const val IMPORTANCE_DEFAULT = 3
    val shown = LinkedHashMap<String?, Notification>()
    var whenShown: (tag: String?) -> Unit = {}
  }
}

class Notification {
  var contentIntent: PendingIntent? = null
  var deleteIntent: PendingIntent? = null
  val actions = ArrayList<Action>()

  abstract class Style

  class BigTextStyle : Style() {
    fun bigText(text: CharSequence?): BigTextStyle = this
  }

  class Action(val title: CharSequence, val actionIntent: PendingIntent) {
    class Builder(icon: Icon?, private val title: CharSequence, private val intent: PendingIntent) {
      fun build(): Action = Action(title, intent)
    }
  }

  class Builder(context: Context, channelId: String) {
    @Deprecated("Takes a channel from API level 26 on") constructor(context: Context) : this(context, "")

    fun setSmallIcon(icon: Int): Builder = this

    fun setContentTitle(title: CharSequence?): Builder = this

    fun setContentText(text: CharSequence?): Builder = this

    fun setStyle(style: Style): Builder = this

    fun setAutoCancel(auto: Boolean): Builder = this

    private val made = Notification()

    fun setContentIntent(intent: PendingIntent): Builder = apply { made.contentIntent = intent }

    fun setDeleteIntent(intent: PendingIntent): Builder = apply { made.deleteIntent = intent }

    fun addAction(action: Action): Builder = apply { made.actions += action }

    fun build(): Notification = made
  }
}
