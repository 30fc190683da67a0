// A program that `npm run test:mobile` runs against a real gateway. Each line of its input is a command, and it prints a line for each answer.
package dev.herald.test

import dev.herald.Herald
import dev.herald.HeraldException
import java.io.File

fun main(arguments: Array<String>) {
  val (baseUrl, appKey, directory) = arguments
  fun start(address: String) =
    // The gateway's test writes what a backend would answer into these files.
    Herald(address, appKey, File(directory), identityToken = { externalId -> File(directory, "token-$externalId").takeIf { it.exists() }?.readText() })
  var herald = start(baseUrl)
  for (line in generateSequence(::readlnOrNull)) {
    val words = line.split(' ')
    val answer =
      try {
        when (words[0]) {
          "register" -> herald.register(words[1], words[2], language = "de", timezone = words.getOrNull(4) ?: "Europe/Berlin", appVersion = words.getOrNull(3))
          "foreground" -> herald.foreground()
          "login" -> herald.login(words[1])
          "logout" -> herald.logout()
          "tag" -> herald.setTags(mapOf(words[1] to words.getOrNull(2)))
          "language" -> herald.setUser(language = words[1])
          "convert" -> herald.trackConversion(words[1], words[2], value = words.getOrNull(3)?.toDouble(), currency = words.getOrNull(4))
          "optOut" -> herald.optOut()
          "optIn" -> herald.optIn()
          "unregister" -> herald.unregister()
          "delivered" -> herald.delivered(words[1])
          "opened" -> herald.opened(words[1])
          "clicked" -> herald.clicked(words[1], words.getOrNull(2))
          "dismissed" -> herald.dismissed(words[1])
          "leave" -> herald.leaveCategory(words[1])
          "choose" -> herald.setCategories(mapOf(words[1] to words.getOrNull(2)?.toBoolean()))
          "categories" -> herald.categories().joinToString(";") { "${it.id},${it.name},${it.description},${it.subscribed},${it.locked}" }
          "restart" -> { herald = start(words.getOrNull(1) ?: baseUrl) }
          "id" -> herald.subscriptionId
          else -> "unknown command"
        }
      } catch (refused: HeraldException) {
        "refused ${refused.status} ${refused.code}"
      }
    println(if (answer == Unit) "ok" else answer)
    System.out.flush()
  }
}
