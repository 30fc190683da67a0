// Stands for the package org.json, which Android has. Nothing here does anything.
@file:Suppress("UNUSED_PARAMETER")

package org.json

class JSONException(message: String) : Exception(message)

class JSONArray(text: String) {
  fun length(): Int = 0

  fun getJSONObject(index: Int): JSONObject = JSONObject()
}

open class JSONObject() {
  constructor(map: Map<*, *>) : this()

  fun keys(): Iterator<String> = emptyList<String>().iterator()

  fun get(name: String): Any = NULL

  fun getString(name: String): String = ""

  fun optString(name: String): String = ""

  companion object {
    @JvmField val NULL = Any()

    @JvmStatic fun wrap(value: Any?): Any? = value
  }
}
