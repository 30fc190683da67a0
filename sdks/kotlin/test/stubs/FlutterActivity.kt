// Stands for Flutter's package io.flutter.embedding.engine.plugins.activity. Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package io.flutter.embedding.engine.plugins.activity

import android.app.Activity
import io.flutter.plugin.common.PluginRegistry

class ActivityPluginBinding(val activity: Activity) {
  fun addOnNewIntentListener(listener: PluginRegistry.NewIntentListener) = Unit

  fun removeOnNewIntentListener(listener: PluginRegistry.NewIntentListener) = Unit
}

interface ActivityAware {
  fun onAttachedToActivity(binding: ActivityPluginBinding)

  fun onDetachedFromActivityForConfigChanges()

  fun onReattachedToActivityForConfigChanges(binding: ActivityPluginBinding)

  fun onDetachedFromActivity()
}
