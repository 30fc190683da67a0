// Stands for the package org.json, which Android has. It reads a list of objects with texts, as the buttons of a push are.
@file:Suppress("UNUSED_PARAMETER")

package org.json

class JSONException(message: String) : Exception(message)

class JSONArray(text: String) {
  private val objects = Regex("""\{[^}]*\}""").findAll(text).toList()

  fun length(): Int = objects.size

  fun getJSONObject(index: Int): JSONObject =
    JSONObject(Regex(""""(\w+)":"([^"]*)"""").findAll(objects[index].value).associate { it.groupValues[1] to it.groupValues[2] })
}

open class JSONObject(private val map: Map<*, *> = emptyMap<String, String>()) {
  fun keys(): Iterator<String> = emptyList<String>().iterator()

  fun get(name: String): Any = NULL

  fun getString(name: String): String = map[name] as? String ?: throw JSONException(name)

  fun optString(name: String): String = map[name] as? String ?: ""

  companion object {
    @JvmField val NULL = Any()

    @JvmStatic fun wrap(value: Any?): Any? = value
  }
}
