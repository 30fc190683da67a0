package dev.herald.reactnative

import android.app.Activity
import android.content.Intent
import com.facebook.react.bridge.ActivityEventListener
import com.facebook.react.bridge.Arguments
import com.facebook.react.bridge.Promise
import com.facebook.react.bridge.ReactApplicationContext
import com.facebook.react.bridge.ReadableMap
import dev.herald.HeraldException
import dev.herald.android.HeraldPushes

/** Herald for React Native: `NativeHeraldSpec` is generated from src/NativeHerald.ts. */
class HeraldModule(private val context: ReactApplicationContext) : NativeHeraldSpec(context), ActivityEventListener {
  init {
    context.addActivityEventListener(this)
  }

  override fun getName() = NAME

  override fun call(name: String, given: ReadableMap, promise: Promise) {
    val done = { answer: Any?, error: HeraldException? ->
      if (error == null) promise.resolve(Arguments.makeNativeMap(mapOf("answer" to answer)))
      else promise.reject(error.code, error.message, Arguments.createMap().apply { putInt("status", error.status) })
    }
    when (name) {
      "listen" -> {
        HeraldPushes.bridge(context).listen { event, about -> emitOnEvent(Arguments.makeNativeMap(mapOf("name" to event, "event" to about))) }
        HeraldPushes.opened(context, context.currentActivity?.intent)
        done(null, null)
      }
      "register" -> HeraldPushes.register(context, done)
      "requestPermission" -> done(HeraldPushes.requestPermission(context, context.currentActivity), null)
      else -> HeraldPushes.bridge(context).call(name, given.toHashMap(), done)
    }
  }

  override fun onNewIntent(intent: Intent) {
    HeraldPushes.opened(context, intent)
  }

  override fun onActivityResult(activity: Activity, requestCode: Int, resultCode: Int, data: Intent?) = Unit

  override fun invalidate() {
    HeraldPushes.bridge(context).listen(null)
    context.removeActivityEventListener(this)
    super.invalidate()
  }

  companion object {
    const val NAME = "Herald"
  }
}
