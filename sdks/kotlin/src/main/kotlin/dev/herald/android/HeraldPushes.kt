// The Android side of Herald: receiving, showing, taps and dismissals. `npm run test:mobile` compiles it against stubs of Android's and Firebase's
// classes. It has not been run on an Android device.
package dev.herald.android

import android.app.Activity
import android.app.Notification
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import android.content.pm.PackageManager
import android.os.Build
import com.google.firebase.messaging.FirebaseMessaging
import com.google.firebase.messaging.FirebaseMessagingService
import com.google.firebase.messaging.RemoteMessage
import dev.herald.HeraldBridge
import dev.herald.HeraldException
import java.util.Locale
import java.util.TimeZone
import org.json.JSONArray
import org.json.JSONException

/** Herald in an Android app: one bridge for the process, the registration, and what happens to notifications. */
object HeraldPushes {
  private const val channel = "herald"
  private const val permission = "android.permission.POST_NOTIFICATIONS"
  /** The setting with which Firebase gives the id of its installation in place of a registration token. */
  private const val installationIds = "firebase_messaging_installation_id_enabled"
  private var made: HeraldBridge? = null

  @Synchronized
  fun bridge(context: Context): HeraldBridge = made ?: HeraldBridge(context.applicationContext.noBackupFilesDir).also { made = it }

  /**
   * Asks Firebase for the address of this phone and registers it, with its language, zone and the version of the app. With installation ids the
   * address comes later, to the service, and `done` gets null.
   */
  fun register(context: Context, done: (answer: Any?, error: HeraldException?) -> Unit) {
    bridge(context).want()
    val messaging = FirebaseMessaging.getInstance()
    val noAddress = HeraldException(0, "no_address", "Firebase gives no address of this phone")
    if (hasInstallationIds(context)) messaging.register().addOnCompleteListener { done(null, if (it.isSuccessful) null else noAddress) }
    else messaging.token.addOnCompleteListener { if (it.isSuccessful) register(context, it.result, done) else done(null, noAddress) }
  }

  /** Registers a new address that Firebase gives by itself, unless the app has not asked for a registration. */
  internal fun renew(context: Context, address: String) {
    if (bridge(context).isWanted) register(context, address) { _, _ -> }
  }

  private fun register(context: Context, address: String, done: (answer: Any?, error: HeraldException?) -> Unit) {
    val version = context.packageManager.getPackageInfo(context.packageName, 0).versionName
    val fields = mapOf("language" to Locale.getDefault().toLanguageTag(), "timezone" to TimeZone.getDefault().id, "appVersion" to version)
    bridge(context).call("register", fields + ("token" to address), done)
  }

  private fun hasInstallationIds(context: Context): Boolean {
    val info = context.packageManager.getApplicationInfo(context.packageName, PackageManager.GET_META_DATA)
    return info.metaData?.getBoolean(installationIds, false) ?: false
  }

  /** Gives whether notifications may be shown. From Android 13 on it first asks the user, when `activity` is given, and does not wait for the answer. */
  fun requestPermission(context: Context, activity: Activity?): Boolean {
    if (Build.VERSION.SDK_INT < 33 || context.checkSelfPermission(permission) == PackageManager.PERMISSION_GRANTED) return true
    activity?.requestPermissions(arrayOf(permission), 0)
    return false
  }

  /**
   * Reports the tap that has started an activity or came to it, and emits `tap`. Call it with the intent of the first activity and with each new one.
   * Gives false for an intent that is not from a push of Herald, or was taken before. The notification that Android showed by itself starts the
   * activity with the push's data as extras.
   */
  fun opened(context: Context, intent: Intent?): Boolean {
    val msgId = intent?.getStringExtra("msgId") ?: return false
    intent.removeExtra("msgId")
    val action = intent.getStringExtra("herald.action")
    val url = intent.getStringExtra("herald.url") ?: intent.getStringExtra("url")
    val bridge = bridge(context)
    if (action != null || url != null) bridge.call("clicked", mapOf("msgId" to msgId, "action" to action)) { _, _ -> }
    else bridge.call("opened", mapOf("msgId" to msgId)) { _, _ -> }
    val data = intent.extras?.keySet().orEmpty().filter { it != "url" && it != "actions" && isOwn(it) }.associateWith { intent.getStringExtra(it) }
    bridge.emit("tap", mapOf("url" to url, "action" to action, "data" to data.filterValues { it != null }))
    (context.getSystemService(Context.NOTIFICATION_SERVICE) as NotificationManager).cancel(intent.getStringExtra("herald.tag"), 0)
    return true
  }

  /** Whether an extra is of the push's data, and not of Firebase, Google or this file. */
  private fun isOwn(name: String) = listOf("google.", "gcm.", "from", "collapse_key", "herald.").none { name.startsWith(it) }

  /**
   * Removes the notification that a recall names by its tag. Firebase shows a push with its tag and the id 0, as `show` does
   * (https://github.com/firebase/firebase-android-sdk, CommonNotificationBuilder: `DisplayNotificationInfo(builder, getTag(params), 0)`).
   */
  internal fun remove(context: Context, tag: String) =
    (context.getSystemService(Context.NOTIFICATION_SERVICE) as NotificationManager).cancel(tag, 0)

  /** Shows a push that came while the app is in the foreground. Android shows others by itself. */
  internal fun show(context: Context, message: RemoteMessage) {
    val shown = message.notification ?: return
    val msgId = message.data["msgId"] ?: return
    val tag = shown.tag ?: msgId
    val manager = context.getSystemService(Context.NOTIFICATION_SERVICE) as NotificationManager
    val builder =
      (if (Build.VERSION.SDK_INT < 26) withoutChannel(context) else Notification.Builder(context, channelFor(context, manager, shown.channelId)))
        .setSmallIcon(context.applicationInfo.icon)
        .setContentTitle(shown.title)
        .setContentText(shown.body)
        .setStyle(Notification.BigTextStyle().bigText(shown.body))
        .setAutoCancel(true)
        .setContentIntent(tap(context, message, tag, null, message.data["url"]))
        .setDeleteIntent(dismissal(context, msgId))
    for ((id, title, url) in actionsOf(message.data["actions"]))
      builder.addAction(Notification.Action.Builder(null, title, tap(context, message, tag, id, url ?: message.data["url"])).build())
    manager.notify(tag, 0, builder.build())
  }

  @Suppress("DEPRECATION") private fun withoutChannel(context: Context) = Notification.Builder(context)

  /** Gives the channel that the push names when the app has it, else one with the name of the app. */
  private fun channelFor(context: Context, manager: NotificationManager, named: String?): String {
    if (named != null && manager.getNotificationChannel(named) != null) return named
    val name = context.applicationInfo.loadLabel(context.packageManager)
    manager.createNotificationChannel(NotificationChannel(channel, name, NotificationManager.IMPORTANCE_DEFAULT))
    return channel
  }

  private fun tap(context: Context, message: RemoteMessage, tag: String, action: String?, url: String?): PendingIntent {
    val intent = context.packageManager.getLaunchIntentForPackage(context.packageName) ?: Intent()
    for ((name, value) in message.data) intent.putExtra(name, value)
    intent.putExtra("herald.action", action).putExtra("herald.url", url).putExtra("herald.tag", tag).addFlags(Intent.FLAG_ACTIVITY_SINGLE_TOP)
    return PendingIntent.getActivity(context, "$tag $action".hashCode(), intent, PendingIntent.FLAG_IMMUTABLE or PendingIntent.FLAG_UPDATE_CURRENT)
  }

  private fun dismissal(context: Context, msgId: String): PendingIntent {
    val intent = Intent(context, HeraldDismissed::class.java).putExtra("msgId", msgId)
    return PendingIntent.getBroadcast(context, msgId.hashCode(), intent, PendingIntent.FLAG_IMMUTABLE or PendingIntent.FLAG_UPDATE_CURRENT)
  }

  /** Reads the buttons of a push: id, title and link. */
  private fun actionsOf(json: String?): List<Triple<String, String, String?>> =
    try {
      val list = JSONArray(json ?: "[]")
      (0 until list.length()).map { list.getJSONObject(it) }.map { Triple(it.getString("id"), it.getString("title"), it.optString("url").ifEmpty { null }) }
    } catch (_: JSONException) {
      emptyList()
    }
}

/** Gets this phone's address and its pushes from Firebase. The module's manifest declares it. */
open class HeraldMessagingService : FirebaseMessagingService() {
  override fun onRegistered(installationId: String) = HeraldPushes.renew(this, installationId)

  /** Called by firebase-messaging before 25.1, and by later ones without installation ids. */
  @Deprecated("Firebase calls onRegistered with installation ids")
  override fun onNewToken(token: String) = HeraldPushes.renew(this, token)

  /** Shows a push, reports it, and tells the page. A recall removes a notification instead, and the page hears nothing of it. */
  override fun onMessageReceived(message: RemoteMessage) {
    val msgId = message.data["msgId"] ?: return
    val bridge = HeraldPushes.bridge(this)
    val recalled = message.data["heraldDismiss"]
    if (recalled != null) HeraldPushes.remove(this, recalled) else HeraldPushes.show(this, message)
    bridge.call("delivered", mapOf("msgId" to msgId)) { _, _ -> }
    if (recalled != null) return
    val data = message.data.filterKeys { it != "msgId" && it != "url" && it != "actions" }
    bridge.emit("push", mapOf("title" to message.notification?.title, "body" to message.notification?.body, "url" to message.data["url"], "data" to data))
  }
}

/** Reports that the user closed a notification. */
class HeraldDismissed : BroadcastReceiver() {
  override fun onReceive(context: Context, intent: Intent) {
    val msgId = intent.getStringExtra("msgId") ?: return
    val whole = goAsync()
    HeraldPushes.bridge(context).call("dismissed", mapOf("msgId" to msgId)) { _, _ -> whole.finish() }
  }
}
