package dev.herald.capacitor

import android.content.Intent
import com.getcapacitor.JSObject
import com.getcapacitor.Plugin
import com.getcapacitor.PluginCall
import com.getcapacitor.PluginMethod
import com.getcapacitor.annotation.CapacitorPlugin
import dev.herald.HeraldException
import dev.herald.android.HeraldPushes
import org.json.JSONObject

/** Herald for Capacitor (https://capacitorjs.com/docs/plugins/android). */
@CapacitorPlugin(name = "Herald")
class HeraldPlugin : Plugin() {
  @PluginMethod
  fun call(call: PluginCall) {
    val done = { answer: Any?, error: HeraldException? ->
      if (error == null) call.resolve(JSObject().put("answer", JSONObject.wrap(answer) ?: JSONObject.NULL))
      else call.reject(error.message, error.code, JSObject().put("status", error.status))
    }
    when (val name = call.getString("name") ?: "") {
      "listen" -> {
        HeraldPushes.bridge(context).listen { event, about ->
          notifyListeners("event", JSObject().put("name", event).put("event", JSONObject(about)), true)
        }
        HeraldPushes.opened(context, activity?.intent)
        done(null, null)
      }
      "register" -> HeraldPushes.register(context, done)
      "requestPermission" -> done(HeraldPushes.requestPermission(context, activity), null)
      else -> HeraldPushes.bridge(context).call(name, mapOfJson(call.getObject("given") ?: JSObject()), done)
    }
  }

  override fun handleOnNewIntent(intent: Intent) {
    HeraldPushes.opened(context, intent)
  }

  override fun handleOnDestroy() {
    HeraldPushes.bridge(context).listen(null)
  }

  private fun mapOfJson(json: JSONObject): Map<String, Any?> =
    json.keys().asSequence().associateWith { name ->
      when (val value = json.get(name)) {
        JSONObject.NULL -> null
        is JSONObject -> mapOfJson(value)
        else -> value
      }
    }
}
