// Stands for the classes of Capacitor's package com.getcapacitor that the plugin names, with the signatures of 8.5 (ionic-team/capacitor). Nothing here
// does anything.
@file:Suppress("UNUSED_PARAMETER")

package com.getcapacitor

import android.app.Activity
import android.content.Context
import android.content.Intent
import org.json.JSONObject

annotation class PluginMethod

open class Plugin {
  val context: Context get() = Context()
  val activity: Activity? get() = null

  protected fun notifyListeners(eventName: String, data: JSObject, retainUntilConsumed: Boolean) = Unit

  protected open fun handleOnNewIntent(intent: Intent) = Unit

  protected open fun handleOnDestroy() = Unit
}

class PluginCall {
  fun getString(name: String): String? = null

  fun getObject(name: String): JSObject? = null

  fun resolve(data: JSObject) = Unit

  fun reject(message: String?, code: String?, data: JSObject) = Unit
}

class JSObject : JSONObject() {
  fun put(key: String, value: String): JSObject = this

  fun put(key: String, value: Int): JSObject = this

  fun put(key: String, value: Any): JSObject = this
}
