// Stands for the classes of firebase-messaging 25.1 that the module names
// (https://firebase.google.com/docs/reference/android/com/google/firebase/messaging/FirebaseMessagingService). Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package com.google.firebase.messaging

import android.app.Service

class Task<T>(val isSuccessful: Boolean, val result: T) {
  fun addOnCompleteListener(listener: (Task<T>) -> Unit): Task<T> = this
}

class FirebaseMessaging {
  val token: Task<String> get() = Task(false, "")

  fun register(): Task<Void?> = Task(false, null)

  companion object {
    @JvmStatic fun getInstance(): FirebaseMessaging = FirebaseMessaging()
  }
}

abstract class FirebaseMessagingService : Service() {
  open fun onRegistered(installationId: String) = Unit

  @Deprecated("See onRegistered") open fun onNewToken(token: String) = Unit

  open fun onMessageReceived(message: RemoteMessage) = Unit
}

class RemoteMessage(val data: Map<String, String>, val notification: Notification?) {
  class Notification(val title: String?, val body: String?, val tag: String?) {
    val channelId: String? = null
  }
}
