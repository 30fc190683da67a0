// A program that `npm run test:mobile` runs against a real gateway. Each line of its input is a command, and it prints a line for each answer. With a
// fourth argument it calls through HeraldBridge, as React Native, Capacitor and Flutter do.
package dev.herald.test

import dev.herald.Herald
import dev.herald.HeraldBridge
import dev.herald.HeraldException
import java.io.File
import java.util.concurrent.CompletableFuture

fun main(arguments: Array<String>) {
  val (baseUrl, appKey, directory) = arguments
  // The gateway's test writes what a backend would answer into these files.
  val identityToken = { externalId: String -> File(directory, "token-$externalId").takeIf { it.exists() }?.readText() }
  fun start(address: String): (List<String>) -> Any? =
    if (arguments.size > 3) throughBridge(HeraldBridge(File(directory)), address, appKey, identityToken)
    else directly(Herald(address, appKey, File(directory), identityToken))
  var client = start(baseUrl)
  for (line in generateSequence(::readlnOrNull)) {
    val words = line.split(' ')
    val answer =
      try {
        if (words[0] == "restart") client = start(words.getOrNull(1) ?: baseUrl) else client(words)
      } catch (refused: HeraldException) {
        "refused ${refused.status} ${refused.code}"
      }
    println(if (answer == Unit) "ok" else answer)
    System.out.flush()
  }
}

private fun directly(herald: Herald) = { words: List<String> ->
  when (words[0]) {
    "register" -> herald.register(words[1], words[2], language = "de", timezone = words.getOrNull(4) ?: "Europe/Berlin", appVersion = words.getOrNull(3))
    "foreground" -> herald.foreground()
    "login" -> herald.login(words[1])
    "logout" -> herald.logout()
    "tag" -> herald.setTags(mapOf(words[1] to words.getOrNull(2)))
    "language" -> herald.setUser(language = words[1])
    "convert" -> herald.trackConversion(words[1], words[2], value = words.getOrNull(3)?.toDouble(), currency = words.getOrNull(4))
    "leave" -> herald.leaveCategory(words[1])
    "choose" -> herald.setCategories(mapOf(words[1] to words.getOrNull(2)?.toBoolean()))
    "categories" -> herald.categories().joinToString(";") { "${it.id},${it.name},${it.description},${it.subscribed},${it.locked}" }
    "optOut" -> herald.optOut()
    "optIn" -> herald.optIn()
    "unregister" -> herald.unregister()
    "delivered" -> herald.delivered(words[1])
    "opened" -> herald.opened(words[1])
    "clicked" -> herald.clicked(words[1], words.getOrNull(2))
    "dismissed" -> herald.dismissed(words[1])
    "id" -> herald.subscriptionId
    else -> "unknown command"
  }
}

private fun throughBridge(bridge: HeraldBridge, baseUrl: String, appKey: String, identityToken: (String) -> String?): (List<String>) -> Any? {
  bridge.listen { _, event ->
    // A page answers an event later, on a thread of its own.
    Thread { bridge.call("identityToken", mapOf("id" to event["id"], "token" to (identityToken("${event["externalId"]}") ?: ""))) { _, _ -> } }.start()
  }
  fun call(name: String, given: Map<String, Any?> = emptyMap()): Any? {
    val answered = CompletableFuture<Any?>()
    bridge.call(name, given) { answer, error -> if (error == null) answered.complete(answer) else answered.complete(error) }
    return answered.get().also { if (it is HeraldException) throw it }
  }
  call("start", mapOf("baseUrl" to baseUrl, "appKey" to appKey, "verifiesIdentity" to true))
  return { words ->
    val word = words.getOrNull(1)
    when (words[0]) {
      "register" ->
        call("register", mapOf("token" to words[2], "language" to "de", "timezone" to (words.getOrNull(4) ?: "Europe/Berlin"), "appVersion" to words.getOrNull(3)))
          .let {}
      "tag" -> call("setTags", mapOf("tags" to mapOf(word to words.getOrNull(2)))) ?: Unit
      "language" -> call("setUser", mapOf("language" to word)) ?: Unit
      "convert" ->
        call("trackConversion", mapOf("id" to word, "name" to words[2], "value" to words.getOrNull(3)?.toDouble(), "currency" to words.getOrNull(4))) ?: Unit
      "leave" -> call("leaveCategory", mapOf("msgId" to word))
      "choose" -> call("setCategories", mapOf("choices" to mapOf(word to words.getOrNull(2)?.toBoolean()))) ?: Unit
      "categories" ->
        (call("categories") as List<*>).joinToString(";") { one ->
          (one as Map<*, *>).let { "${it["id"]},${it["name"]},${it["description"]},${it["subscribed"]},${it["locked"]}" }
        }
      "id" -> call("subscriptionId")
      "login" -> call("login", mapOf("externalId" to word)) ?: Unit
      else -> call(words[0], mapOf("msgId" to word, "action" to words.getOrNull(2))) ?: Unit
    }
  }
}
