// Stands for Flutter's package io.flutter.plugin.common. Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package io.flutter.plugin.common

import android.content.Intent

interface BinaryMessenger

class MethodCall(@JvmField val method: String, @JvmField val arguments: Any?)

class MethodChannel(messenger: BinaryMessenger, name: String) {
  interface MethodCallHandler {
    fun onMethodCall(call: MethodCall, result: Result)
  }

  interface Result {
    fun success(result: Any?)

    fun error(errorCode: String, errorMessage: String?, errorDetails: Any?)
  }

  fun setMethodCallHandler(handler: MethodCallHandler?) = Unit

  fun invokeMethod(method: String, arguments: Any?) = Unit
}

interface PluginRegistry {
  fun interface NewIntentListener {
    fun onNewIntent(intent: Intent): Boolean
  }
}
