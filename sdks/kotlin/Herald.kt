// Herald for Kotlin, in one file and without dependencies. Copy it into your Android app; docs/guide/android.md says how to use it.
// `npm run test:mobile` compiles this file with kotlinc 2.4 and runs it on a JVM against a real gateway. It has not been run on an Android device.
package dev.herald

import java.io.File
import java.io.IOException
import java.net.HttpURLConnection
import java.net.ProtocolException
import java.net.URI
import java.net.URLDecoder
import java.net.URLEncoder
import java.security.MessageDigest
import java.text.ParsePosition
import java.text.SimpleDateFormat
import java.util.Date
import java.util.Locale
import java.util.TimeZone
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.withLock

/**
 * The error of a call. `status` is the HTTP status, or 0 when there was no answer. `fields` names the fields that Herald refused. The error contains no
 * token, key or external id.
 */
class HeraldException(val status: Int, val code: String, message: String, val fields: List<String> = emptyList()) : IOException(message)

/**
 * A client of Herald for one Android app on one device. A function may make several requests, and blocks for at most 10 s for each connection and
 * 10 s for each answer. So call it from a background thread.
 *
 * @param baseUrl the address of Herald, such as `https://push.example.com`; plain http is accepted only for this machine, and for `10.0.2.2`, the
 * host of an emulator
 * @param appKey the public key of your app in Herald (`pk_live_…`)
 * @param directory a private directory of the Android app, such as `context.noBackupFilesDir`, for the id of the device and the waiting changes
 */
class Herald(baseUrl: String, private val appKey: String, directory: File) {
  private val base = baseUrl.trimEnd('/')
  private val state = State(File(directory, "herald.state"))
  /**
   * A fair lock, so that registrations and changes run one after another in the order in which they were made. Reports about pushes do not take it.
   */
  private val turns = ReentrantLock(true)
  /** Until when Herald has asked for a pause (Retry-After). Waiting changes and sessions are not sent before. */
  @Volatile private var restUntil = 0L

  init {
    val isHere = Regex("^http://(127\\.0\\.0\\.1|localhost|\\[::1]|10\\.0\\.2\\.2)(:\\d+)?$").matches(base)
    require(base.startsWith("https://") || isHere) { "baseUrl must be https (http is for this machine alone)" }
    require(appKey.startsWith("pk_")) { "appKey must be a public key: a secret key in an app is everybody's" }
  }

  /** The id of this device at Herald; null while it is not registered. */
  val subscriptionId: String? get() = state["id"]

  /**
   * Registers this device. Call it at every start and when the token, or the id of the Firebase installation, has changed: the device then stays the
   * same one at Herald. When the device has registered the same within 7 days, and Herald knows it, it only sends waiting changes and reports a
   * session. It does nothing while the user has opted out, because a registration would opt the device in again. When Herald refuses the language,
   * time zone or version, the device is registered without it.
   */
  fun register(platform: String, token: String, language: String? = null, timezone: String? = null, appVersion: String? = null) = turns.withLock {
    if (state["optedOut"] == "true") return@withLock
    val fields = mapOf("platform" to platform, "token" to token, "language" to language, "timezone" to timezone, "appVersion" to appVersion).filterValues { it != null }
    val print = hash(json(fields))
    val registeredAt = state["registeredAt"]?.toLongOrNull() ?: 0
    if (subscriptionId != null && state["print"] == print && now() - registeredAt < 7 * dayMs) {
      sendWaiting()
      // A 404 means that Herald does not know the device any more, so it is registered again.
      if (session() != 404) return@withLock
    }
    val old = state["token"]
    val answer = sendRegistration(if (old == null || old == token) fields else fields + ("old" to old))
    state.set("id" to text(answer, "id"), "token" to token, "print" to print, "registeredAt" to now().toString())
    sendWaiting()
  }

  private fun sendRegistration(fields: Map<String, Any?>): String =
    try {
      call("POST", "/v1/subscriptions", json(fields))
    } catch (refused: HeraldException) {
      val spare = refused.fields.filter { it in spareFields }
      if (refused.status != 422 || spare.isEmpty()) throw refused
      call("POST", "/v1/subscriptions", json(fields - spare))
    }

  /** Reports that the user has opened the app. */
  fun foreground() = turns.withLock {
    sendWaiting()
    session()
    Unit
  }

  /** Gives the device to this user. When your app in Herald requires verified identities, pass an `identityToken` from your backend. */
  fun login(externalId: String, identityToken: String? = null) = change(Change("POST", "login", json(mapOf("externalId" to externalId)), identityToken))

  /** Gives the device to a new anonymous user. Drops waiting logins and changes of the user; a waiting opt-out or opt-in is about the device and stays. */
  fun logout() = turns.withLock {
    state.waiting = state.waiting.filter { it.path == "" }
    change(Change("POST", "logout", "", null))
  }

  /** Changes tags of the user; a value of null deletes its tag. Values are text, numbers, true and false. */
  fun setTags(tags: Map<String, Any?>) = change(Change("POST", "user", json(mapOf("tags" to tags)), null))

  fun setUser(language: String? = null, timezone: String? = null, country: String? = null) =
    change(Change("POST", "user", json(mapOf("language" to language, "timezone" to timezone, "country" to country).filterValues { it != null }), null))

  /** Stops all pushes until `optIn`. The choice is stored on the device at once. When Herald cannot be reached, a later call sends it. */
  fun optOut() = turns.withLock {
    state.set("optedOut" to "true")
    change(Change("PATCH", "", json(mapOf("optedIn" to false)), null))
  }

  fun optIn() = turns.withLock {
    state.set("optedOut" to "false")
    change(Change("PATCH", "", json(mapOf("optedIn" to true)), null))
  }

  /** Removes the device from Herald. */
  fun unregister() = turns.withLock {
    subscriptionId?.let { call("DELETE", "/v1/subscriptions/$it", null) }
    state.clear()
  }

  /**
   * Reports that a push was shown. Call it after showing the push, never before. Gives whether the report arrived, and does not throw when it did
   * not.
   */
  fun delivered(msgId: String): Boolean = report("d", msgId, null)

  /** Reports that the user opened the app by this push. */
  fun opened(msgId: String): Boolean = report("o", msgId, null)

  /** Reports that the user followed the link of this push or chose an action of it, and also that the push was opened. */
  fun clicked(msgId: String, action: String? = null): Boolean = report("o", msgId, null) and report("c", msgId, action)

  /** Reports that the user closed this push. Do not call it for a push that a later push replaced. */
  fun dismissed(msgId: String): Boolean = report("x", msgId, null)

  /**
   * Sends one change of the user or the device, after all earlier changes. While it cannot be sent it stays stored, for at most 7 days. When more
   * than 50 changes wait, the oldest is dropped.
   */
  private fun change(change: Change) = turns.withLock {
    state.waiting = (state.waiting + change).takeLast(mostWaiting)
    sendWaiting()
  }

  /** Sends the waiting changes in order, and stops at the first that cannot be sent now. Drops a change that Herald refuses, and throws the error. */
  private fun sendWaiting() {
    val id = subscriptionId ?: return
    if (now() < restUntil) return
    state.waiting = state.waiting.filter { now() - it.at < 7 * dayMs }
    while (true) {
      val next = state.waiting.firstOrNull() ?: return
      try {
        val path = "/v1/subscriptions/$id" + if (next.path == "") "" else "/${next.path}"
        call(next.method, path, next.body.ifEmpty { null }, next.identityToken)
      } catch (refused: HeraldException) {
        if (refused.status == 0 || refused.status == 429 || refused.status >= 500) return
        state.waiting = state.waiting.drop(1)
        throw refused
      }
      state.waiting = state.waiting.drop(1)
    }
  }

  /** Reports a session. Gives 200 when Herald took it, else the HTTP status; 0 when there was no answer, or no registered device. */
  private fun session(): Int {
    val id = subscriptionId ?: return 0
    if (now() < restUntil) return 0
    return try {
      call("POST", "/v1/subscriptions/$id/session", null)
      200
    } catch (refused: HeraldException) {
      refused.status
    }
  }

  private fun report(kind: String, msgId: String, action: String?): Boolean =
    try {
      val query = if (action == null) "" else "?action=${URLEncoder.encode(action, "UTF-8")}"
      call("POST", "/v1/e/$kind/${URLEncoder.encode(msgId, "UTF-8")}$query", null, limitMs = 5_000)
      true
    } catch (_: IOException) {
      false
    }

  private fun call(method: String, path: String, body: String?, identityToken: String? = null, limitMs: Int = 10_000): String {
    val connection = URI.create(base + path).toURL().openConnection() as HttpURLConnection
    try {
      setMethod(connection, method)
      connection.connectTimeout = limitMs
      connection.readTimeout = limitMs
      connection.instanceFollowRedirects = false
      connection.setRequestProperty("x-app-key", appKey)
      if (identityToken != null) connection.setRequestProperty("x-identity-token", identityToken)
      if (body != null) {
        connection.setRequestProperty("content-type", "application/json")
        connection.doOutput = true
        connection.outputStream.use { it.write(body.toByteArray()) }
      }
      val status = connection.responseCode
      val answer = (if (status < 400) connection.inputStream else connection.errorStream)?.use { String(it.readBytes()) } ?: ""
      if (status == 429 || status >= 500) retryAfterMs(connection.getHeaderField("retry-after"))?.let { restUntil = now() + minOf(it, longestRestMs) }
      if (status >= 300) throw HeraldException(status, text(answer, "code"), text(answer, "message").ifEmpty { "Herald answered $status" }, pathsIn(answer))
      return answer
    } catch (failed: HeraldException) {
      throw failed
    } catch (failed: IOException) {
      // The system's own message may contain the address with its path, and so a msgId, which is a secret.
      throw HeraldException(0, "network_error", "Herald could not be reached")
    } finally {
      connection.disconnect()
    }
  }
}

private const val dayMs = 86_400_000L
private const val mostWaiting = 50
private const val longestRestMs = 3_600_000L
/** The fields of a registration that a device can do without. */
private val spareFields = setOf("language", "timezone", "appVersion")

private fun now() = System.currentTimeMillis()

/** A change that waits to be sent. */
private class Change(val method: String, val path: String, val body: String, val identityToken: String?, val at: Long = now())

/**
 * What is stored in a file on the device: lines of `name=value` and lines of waiting changes, with every value percent-encoded. Each write makes a
 * new file that then replaces the old one.
 */
private class State(private val file: File) {
  private val values = HashMap<String, String>()
  var waiting: List<Change> = emptyList()
    set(changed) {
      field = changed
      write()
    }

  init {
    val changes = ArrayList<Change>()
    if (file.exists())
      for (line in file.readLines()) {
        val parts = line.split('=').map { URLDecoder.decode(it, "UTF-8") }
        if (parts.size == 2) values[parts[0]] = parts[1]
        // An identity token is a secret and valid for an hour at most, so it is not stored.
        if (parts.size == 5 && parts[0] == "change") changes += Change(parts[1], parts[2], parts[3], null, parts[4].toLongOrNull() ?: 0)
      }
    waiting = changes
  }

  operator fun get(name: String): String? = values[name]

  fun set(vararg changed: Pair<String, String>) {
    values.putAll(changed)
    write()
  }

  fun clear() {
    values.clear()
    waiting = emptyList()
  }

  private fun write() {
    fun line(vararg parts: String) = parts.joinToString("=") { URLEncoder.encode(it, "UTF-8") }
    val lines = values.map { (name, value) -> line(name, value) } + waiting.map { line("change", it.method, it.path, it.body, it.at.toString()) }
    file.parentFile?.mkdirs()
    val fresh = File(file.path + ".new")
    fresh.writeText(lines.joinToString("\n"))
    if (!fresh.renameTo(file)) throw IOException("The state of Herald cannot be written")
  }
}

private fun hash(text: String) = MessageDigest.getInstance("SHA-256").digest(text.toByteArray()).joinToString("") { "%02x".format(it) }

/** Sets the HTTP method. The setter of Android accepts PATCH. The setter of a plain JVM refuses it, so there the private field is set. */
private fun setMethod(connection: HttpURLConnection, method: String) =
  try {
    connection.requestMethod = method
  } catch (_: ProtocolException) {
    HttpURLConnection::class.java.getDeclaredField("method").apply { isAccessible = true }.set(connection, method)
  }

private fun json(value: Any?): String =
  when (value) {
    null -> "null"
    is Boolean, is Number -> value.toString()
    is Map<*, *> -> value.entries.joinToString(",", "{", "}") { (name, each) -> "${json(name.toString())}:${json(each)}" }
    else -> value.toString().map { escape(it) }.joinToString("", "\"", "\"")
  }

private fun escape(letter: Char): String =
  when {
    letter == '"' || letter == '\\' -> "\\$letter"
    letter < ' ' -> "\\u%04x".format(letter.code)
    else -> letter.toString()
  }

/** Gives the paths of the fields that an answer refuses. */
private fun pathsIn(answer: String): List<String> = Regex("\"path\"\\s*:\\s*\"([^\"]*)\"").findAll(answer).map { it.groupValues[1] }.toList()

/**
 * Reads a `retry-after` header as milliseconds from now: whole seconds, or an HTTP date in any of its three forms (RFC 9110, 10.2.3 and 5.6.7). Gives
 * null for any other text.
 */
private fun retryAfterMs(header: String?): Long? {
  if (header == null) return null
  if (Regex("[0-9]+").matches(header)) return (header.toLongOrNull() ?: Long.MAX_VALUE).coerceAtMost(1_000_000_000L) * 1000
  val pattern = httpDates.entries.firstOrNull { it.key.matches(header) }?.value ?: return null
  return httpDate(pattern).parse(header, ParsePosition(0))?.let { it.time - now() }
}

private val httpDates =
  mapOf(
    Regex("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT") to "EEE, dd MMM yyyy HH:mm:ss 'GMT'",
    Regex("[A-Z][a-z]{5,8}, [0-9]{2}-[A-Z][a-z]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT") to "EEEE, dd-MMM-yy HH:mm:ss 'GMT'",
    Regex("[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}") to "EEE MMM d HH:mm:ss yyyy",
  )

/** Makes a reader of dates that refuses a day that its month does not have. A year of two digits is at most 50 years ahead. */
private fun httpDate(pattern: String) =
  SimpleDateFormat(pattern, Locale.US).apply {
    timeZone = TimeZone.getTimeZone("UTC")
    isLenient = false
    set2DigitYearStart(Date(now() - 50L * 365 * 86_400_000))
  }

/** Reads a text field of an answer, or gives an empty text. It leaves escapes as they are: ids and codes have none, and a message is only shown. */
private fun text(answer: String, name: String): String = Regex("\"$name\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").find(answer)?.groupValues?.get(1) ?: ""
