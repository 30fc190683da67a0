package dev.herald.flutter

import android.app.Activity
import android.content.Context
import android.content.Intent
import android.os.Handler
import android.os.Looper
import dev.herald.HeraldException
import dev.herald.android.HeraldPushes
import io.flutter.embedding.engine.plugins.FlutterPlugin
import io.flutter.embedding.engine.plugins.activity.ActivityAware
import io.flutter.embedding.engine.plugins.activity.ActivityPluginBinding
import io.flutter.plugin.common.MethodCall
import io.flutter.plugin.common.MethodChannel
import io.flutter.plugin.common.PluginRegistry

/** Herald for Flutter (https://docs.flutter.dev/platform-integration/platform-channels). */
class HeraldPlugin : FlutterPlugin, MethodChannel.MethodCallHandler, ActivityAware, PluginRegistry.NewIntentListener {
  private lateinit var context: Context
  private lateinit var channel: MethodChannel
  private var activity: ActivityPluginBinding? = null
  /** Flutter takes answers and events on its own thread. */
  private val main = Handler(Looper.getMainLooper())

  override fun onAttachedToEngine(binding: FlutterPlugin.FlutterPluginBinding) {
    context = binding.applicationContext
    channel = MethodChannel(binding.binaryMessenger, "dev.herald/herald")
    channel.setMethodCallHandler(this)
  }

  override fun onDetachedFromEngine(binding: FlutterPlugin.FlutterPluginBinding) {
    channel.setMethodCallHandler(null)
    HeraldPushes.bridge(context).listen(null)
  }

  override fun onMethodCall(call: MethodCall, result: MethodChannel.Result) {
    val done = { answer: Any?, error: HeraldException? ->
      main.post { if (error == null) result.success(answer) else result.error(error.code, error.message, error.status) }
      Unit
    }
    val present: Activity? = activity?.activity
    when (call.method) {
      "listen" -> {
        HeraldPushes.bridge(context).listen { event, about -> main.post { channel.invokeMethod(event, about) } }
        HeraldPushes.opened(context, present?.intent)
        done(null, null)
      }
      "register" -> HeraldPushes.register(context, done)
      "requestPermission" -> done(HeraldPushes.requestPermission(context, present), null)
      else -> HeraldPushes.bridge(context).call(call.method, argumentsOf(call), done)
    }
  }

  private fun argumentsOf(call: MethodCall): Map<String, Any?> =
    (call.arguments as? Map<*, *>).orEmpty().entries.associate { (name, value) -> name.toString() to value }

  override fun onNewIntent(intent: Intent): Boolean = HeraldPushes.opened(context, intent)

  override fun onAttachedToActivity(binding: ActivityPluginBinding) {
    activity = binding
    binding.addOnNewIntentListener(this)
  }

  override fun onReattachedToActivityForConfigChanges(binding: ActivityPluginBinding) = onAttachedToActivity(binding)

  override fun onDetachedFromActivity() {
    activity?.removeOnNewIntentListener(this)
    activity = null
  }

  override fun onDetachedFromActivityForConfigChanges() = onDetachedFromActivity()
}
