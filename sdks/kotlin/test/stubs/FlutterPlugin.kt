// Stands for Flutter's package io.flutter.embedding.engine.plugins
// (https://api.flutter.dev/javadoc/io/flutter/embedding/engine/plugins/FlutterPlugin.html). Nothing here does anything.
package io.flutter.embedding.engine.plugins

import android.content.Context
import io.flutter.plugin.common.BinaryMessenger

interface FlutterPlugin {
  class FlutterPluginBinding(val applicationContext: Context, val binaryMessenger: BinaryMessenger)

  fun onAttachedToEngine(binding: FlutterPluginBinding)

  fun onDetachedFromEngine(binding: FlutterPluginBinding)
}
