// What React Native, Capacitor and Flutter call: each function of Herald by its name. It needs Herald.kt and nothing else. `npm run test:mobile`
// compiles it and runs it on a JVM against a real gateway.
package dev.herald

import java.io.File
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit

/**
 * Calls Herald by names, on threads of its own, and keeps events until somebody listens. One for the process.
 *
 * @param directory a private directory of the Android app, such as `context.noBackupFilesDir`. `start` stores the address and the key of Herald there,
 * so that a process that Android starts for a push can report it before any page runs.
 */
class HeraldBridge(private val directory: File) {
  private val changes = Executors.newSingleThreadExecutor { thread(it) }
  private val reports = Executors.newSingleThreadExecutor { thread(it) }
  private val settings = File(directory, "herald.start")
  @Volatile private var herald: Herald? = stored()
  @Volatile private var isVerifying = false
  @Volatile private var isAsked = false
  private val tokens = ConcurrentHashMap<String, CompletableFuture<String?>>()
  private val events = ArrayList<Pair<String, Map<String, Any?>>>()
  private var listener: ((name: String, event: Map<String, Any?>) -> Unit)? = null

  /** Whether a new address of this phone is to be registered: the app has asked for a registration, or the device is registered. */
  val isWanted: Boolean get() = isAsked || herald?.subscriptionId != null

  /** Says that the app has asked for a registration, which may come later, when the phone has an address. */
  fun want() {
    isAsked = true
  }

  /** Gets each event from now on, and first those that came while nobody listened. Null ends it. */
  @Synchronized
  fun listen(to: ((name: String, event: Map<String, Any?>) -> Unit)?) {
    listener = to
    if (to != null) events.toList().also { events.clear() }.forEach { (name, event) -> to(name, event) }
  }

  /** Tells what a push did: `push`, `tap` or `identityToken`. At most the 20 newest events wait for a listener. */
  @Synchronized
  fun emit(name: String, event: Map<String, Any?>) {
    listener?.let { return it(name, event) }
    events += name to event
    if (events.size > 20) events.removeAt(0)
  }

  /**
   * Calls a function of Herald. Changes run one after another; reports do not wait for them. `done` gets the answer or the error, on a thread of the
   * bridge.
   */
  fun call(name: String, given: Map<String, Any?>, done: (answer: Any?, error: HeraldException?) -> Unit) {
    // A login waits for this answer on the thread of changes.
    if (name == "identityToken") {
      tokens.remove(given["id"])?.complete(given["token"] as? String)
      return done(null, null)
    }
    val line = if (name in reported) reports else changes
    line.execute {
      try {
        done(answer(name, given), null)
      } catch (refused: HeraldException) {
        done(null, refused)
      } catch (failed: IllegalArgumentException) {
        done(null, HeraldException(0, "invalid_argument", failed.message ?: "An argument is wrong"))
      } catch (failed: IOException) {
        done(null, HeraldException(0, "not_stored", "What was asked for cannot be stored on this device"))
      }
    }
  }

  private fun answer(name: String, given: Map<String, Any?>): Any? {
    if (name == "start") return start(given)
    val herald = this.herald ?: throw HeraldException(0, "not_started", "Call start with the address and the key of Herald first")
    return when (name) {
      "register" -> {
        herald.register("android", textOf(given, "token"), optional(given, "language"), optional(given, "timezone"), optional(given, "appVersion"))
        herald.subscriptionId
      }
      "subscriptionId" -> herald.subscriptionId
      "foreground" -> nothing { herald.foreground() }
      "login" -> nothing { herald.login(textOf(given, "externalId")) }
      "logout" -> nothing { herald.logout() }
      "setTags" -> nothing { herald.setTags(tagsOf(given["tags"])) }
      "setUser" -> nothing { herald.setUser(optional(given, "language"), optional(given, "timezone"), optional(given, "country")) }
      "trackConversion" -> nothing {
        val value = (given["value"] as? Number)?.toDouble()
        herald.trackConversion(textOf(given, "id"), textOf(given, "name"), value, optional(given, "currency"), optional(given, "msgId"))
      }
      "categories" ->
        herald.categories().map {
          mapOf("id" to it.id, "name" to it.name, "description" to it.description, "subscribed" to it.subscribed, "locked" to it.locked)
        }
      "setCategories" -> nothing { herald.setCategories(choicesOf(given["choices"])) }
      "leaveCategory" -> herald.leaveCategory(textOf(given, "msgId"))
      "setBadge" -> nothing { herald.setBadge((given["badge"] as? Number)?.toInt() ?: throw IllegalArgumentException("badge is missing")) }
      "optOut" -> nothing { herald.optOut() }
      "optIn" -> nothing { herald.optIn() }
      "unregister" -> nothing {
        isAsked = false
        herald.unregister()
      }
      "delivered" -> herald.delivered(textOf(given, "msgId"))
      "opened" -> herald.opened(textOf(given, "msgId"))
      "clicked" -> herald.clicked(textOf(given, "msgId"), optional(given, "action"))
      "dismissed" -> herald.dismissed(textOf(given, "msgId"))
      else -> throw IllegalArgumentException("Herald has no function $name")
    }
  }

  private fun start(given: Map<String, Any?>): Any? {
    val (baseUrl, appKey) = listOf(textOf(given, "baseUrl"), textOf(given, "appKey"))
    herald = make(baseUrl, appKey)
    isVerifying = given["verifiesIdentity"] == true
    directory.mkdirs()
    settings.writeText("$baseUrl\n$appKey")
    return null
  }

  private fun stored(): Herald? =
    try {
      val (baseUrl, appKey) = settings.readLines()
      make(baseUrl, appKey)
    } catch (_: Exception) {
      null
    }

  private fun make(baseUrl: String, appKey: String) = Herald(baseUrl, appKey, directory, ::identityToken)

  /** Asks the listener for a token and waits for it, for at most 10 s; the login waits when there is no answer. An empty token means that there is none. */
  private fun identityToken(externalId: String): String? {
    if (!isVerifying) return null
    val id = java.util.UUID.randomUUID().toString()
    val answer = CompletableFuture<String?>()
    tokens[id] = answer
    emit("identityToken", mapOf("id" to id, "externalId" to externalId))
    try {
      return answer.get(10, TimeUnit.SECONDS)?.ifEmpty { null }
    } finally {
      tokens.remove(id)
    }
  }
}

private val reported = setOf("delivered", "opened", "clicked", "dismissed", "leaveCategory")

private fun thread(work: Runnable) = Thread(work, "herald").apply { isDaemon = true }

private fun nothing(work: () -> Unit): Any? {
  work()
  return null
}

private fun optional(given: Map<String, Any?>, name: String): String? = given[name] as? String

private fun textOf(given: Map<String, Any?>, name: String): String =
  requireNotNull(optional(given, name)?.takeIf { it.isNotEmpty() }) { "$name must be a text" }

private fun choicesOf(given: Any?): Map<String, Boolean?> =
  (given as? Map<*, *> ?: throw IllegalArgumentException("choices must be an object")).entries.associate { (id, choice) ->
    id.toString() to choice as? Boolean
  }

/** Gives tags with whole numbers as such: JavaScript hands over every number as one with a fraction. */
private fun tagsOf(given: Any?): Map<String, Any?> =
  (given as? Map<*, *> ?: throw IllegalArgumentException("tags must be an object")).entries.associate { (name, value) ->
    name.toString() to if (value is Double && value % 1 == 0.0 && Math.abs(value) < 1e15) value.toLong() else value
  }
