// Stands for the classes of React Native's package com.facebook.react.bridge that the module names, with the signatures of 0.86
// (packages/react-native/ReactAndroid of facebook/react-native). Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package com.facebook.react.bridge

import android.app.Activity
import android.content.Context
import android.content.Intent

interface NativeModule

interface ActivityEventListener {
  fun onActivityResult(activity: Activity, requestCode: Int, resultCode: Int, data: Intent?)

  fun onNewIntent(intent: Intent)
}

class ReactApplicationContext : Context() {
  val currentActivity: Activity? = null

  fun addActivityEventListener(listener: ActivityEventListener) = Unit

  fun removeActivityEventListener(listener: ActivityEventListener) = Unit
}

abstract class ReactContextBaseJavaModule(context: ReactApplicationContext) : NativeModule {
  @JvmField protected var mEventEmitterCallback: CxxCallbackImpl? = null

  abstract fun getName(): String

  open fun invalidate() = Unit
}

class CxxCallbackImpl {
  fun invoke(vararg given: Any?) = Unit
}

annotation class ReactMethod

interface ReadableMap {
  fun toHashMap(): HashMap<String, Any?>
}

interface WritableMap : ReadableMap {
  fun putInt(key: String, value: Int)
}

interface Promise {
  fun resolve(value: Any?)

  fun reject(code: String?, message: String?, userInfo: WritableMap)
}

private class NoMap : WritableMap {
  override fun toHashMap() = HashMap<String, Any?>()

  override fun putInt(key: String, value: Int) = Unit
}

object Arguments {
  @JvmStatic fun createMap(): WritableMap = NoMap()

  @JvmStatic fun makeNativeMap(objects: Map<String, Any?>?): WritableMap = NoMap()
}
