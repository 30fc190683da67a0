// Herald for Kotlin, in one file and without dependencies: copy it into your Android app, or include the module. docs/guide/android.md says how.
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
class HeraldException(
  val status: Int,
  val code: String,
  message: String,
  val fields: List<String> = emptyList(),
  internal val retryAfterMs: Long = 0,
) : IOException(message) {
  /** Whether the same may succeed later. */
  val isTemporary get() = status == 0 || status == 429 || status >= 500
}

/**
 * A client of Herald for one Android app on one device. Make one and keep it for the whole process. A function may make several requests, and blocks for
 * up to 10 s for each: 5 s to connect and 5 s for the answer. After a 429 or 5xx it waits, at most 4 s, and asks again, twice. So call it from a
 * background thread.
 *
 * @param baseUrl the address of Herald, such as `https://push.example.com`; plain http is accepted only for this machine, and for `10.0.2.2`, the
 * host of an emulator
 * @param appKey the public key of your app in Herald (`pk_live_…`)
 * @param directory a private directory of the Android app, such as `context.noBackupFilesDir`, for the device's id and user, and what waits to be sent
 * @param identityToken gives the identity token that your backend makes for an external id, or null. It is called before each login, also before one
 * that was stored. While it throws, the login waits.
 */
class Herald(baseUrl: String, private val appKey: String, directory: File, private val identityToken: (externalId: String) -> String? = { null }) {
  private val base = baseUrl.trimEnd('/')
  private val state = State(File(directory, "herald.state"))
  /** The reports that wait to be sent, the newest first. */
  private val reports = State(File(directory, "herald.reports"))
  /**
   * A fair lock, so that registrations and changes run one after another in the order in which they were made. Reports about pushes do not take it.
   */
  private val turns = ReentrantLock(true)

  init {
    val isHere = Regex("^http://(127\\.0\\.0\\.1|localhost|\\[::1]|10\\.0\\.2\\.2)(:\\d+)?$").matches(base)
    require(base.startsWith("https://") || isHere) { "baseUrl must be https (http is for this machine alone)" }
    require(appKey.startsWith("pk_")) { "appKey must be a public key: a secret key in an app is everybody's" }
  }

  /** The id of this device at Herald; null while it is not registered. */
  val subscriptionId: String? get() = state["id"]

  /**
   * Registers this device, with the versions of Android and of this file and the model of the phone. Call it at every start and when the token, or the
   * id of the Firebase installation, has changed: the device then stays the same one at Herald. When the device has registered the same within 7 days,
   * and Herald knows it, it only sends what waits and reports a session. It does nothing while the user has opted out, because a registration would
   * opt the device in again. When Herald refuses an optional field, the device is registered without it.
   */
  fun register(platform: String, token: String, language: String? = null, timezone: String? = null, appVersion: String? = null) = inTurn {
    if (isOptedOut) return@inTurn
    val optional =
      mapOf("language" to language, "timezone" to timezone, "appVersion" to appVersion, "sdkVersion" to sdkVersion) +
        mapOf("osVersion" to fact("android.os.Build\$VERSION", "RELEASE"), "deviceModel" to fact("android.os.Build", "MODEL"))
    val fields = mapOf("platform" to platform, "token" to token) + optional.filterValues { !it.isNullOrBlank() }
    val print = hash(json(fields))
    val registeredAt = state["registeredAt"]?.toLongOrNull() ?: 0
    if (subscriptionId != null && state["print"] == print && now() - registeredAt < 7 * dayMs) {
      sendWaiting()
      session()
      return@inTurn
    }
    val old = state["token"]?.takeIf { it != token }?.let { mapOf("old" to it) }.orEmpty()
    try {
      sendRegistration(json(fields + old), json(fields))
    } catch (refused: HeraldException) {
      val spare = refused.fields.filter { it in optional }
      if (refused.status != 422 || spare.isEmpty()) throw refused
      sendRegistration(json(fields + old - spare), json(fields - spare))
    }
    state.set("token" to token, "print" to print)
    sendWaiting()
  }

  /**
   * Registers the device, and stores `again`, the registration to repeat when Herald does not know the device any more. A device with a new id belongs to
   * an anonymous user, so the login of the present user is then sent again, before everything that waits.
   */
  private fun sendRegistration(body: String, again: String): String {
    val id = text(call("POST", "/v1/subscriptions", body), "id")
    if (id.isEmpty()) throw HeraldException(0, "network_error", "The answer is not Herald's")
    val user = state["user"]
    if (user != null && id != subscriptionId && state.waiting.firstOrNull()?.path != "login") state.waiting = listOf(loginOf(user)) + state.waiting
    state.set("id" to id, "registration" to again, "registeredAt" to now().toString())
    return id
  }

  /** Reports that the user has opened the app. */
  fun foreground() = inTurn {
    sendWaiting()
    session()
  }

  /** Gives the device to this user. When your app in Herald requires verified identities, give `Herald` an `identityToken`. */
  fun login(externalId: String) = inTurn { change(loginOf(externalId)) }

  /**
   * Gives the device to a new anonymous user. Drops waiting logins and changes of the user; a waiting opt-out or opt-in is about the device and stays,
   * and what the user did is sent before.
   */
  fun logout() = inTurn {
    state.remove("user")
    state.waiting = state.waiting.filter { it.path == "" || it.path == conversions }
    change(Change("POST", "logout", ""))
  }

  /** Changes tags of the user; a value of null deletes its tag. Values are text, numbers, true and false. */
  fun setTags(tags: Map<String, Any?>) = inTurn { change(Change("POST", "user", json(mapOf("tags" to tags)))) }

  fun setUser(language: String? = null, timezone: String? = null, country: String? = null) = inTurn {
    val fields = mapOf("language" to language, "timezone" to timezone, "country" to country)
    change(Change("POST", "user", json(fields.filterValues { it != null })))
  }

  /** Gives the kinds of notifications of your app, and which of them the user gets. Throws when Herald cannot be reached, or the device is not registered. */
  fun categories(): List<Category> = inTurn {
    sendWaiting()
    val id = subscriptionId ?: throw HeraldException(0, "not_registered", "The device is not registered")
    categoriesIn(call("GET", "/v1/subscriptions/$id/preferences", null))
  }

  /**
   * Lets the user join (true) or leave (false) categories, on all devices of the user; null takes the user's own choice back. When Herald cannot be
   * reached, a later call sends it.
   */
  fun setCategories(choices: Map<String, Boolean?>) = inTurn { change(Change("PATCH", "preferences", json(mapOf("categories" to choices)))) }

  /**
   * Reports a conversion of the user, such as an order. `id` is yours and counts once. When it cannot be sent now, a later call sends it, within 7 days,
   * also after a logout. A `value` needs the app's setting for public values.
   */
  fun trackConversion(id: String, name: String, value: Double? = null, currency: String? = null, msgId: String? = null) = inTurn {
    val fields = mapOf("id" to id, "name" to name, "at" to isoTime(now()), "value" to value, "currency" to currency, "msgId" to msgId)
    change(Change("POST", conversions, json(fields.filterValues { it != null })))
  }

  /**
   * Tells Herald the number that the app shows on its icon, from which sends with `badgeIncrement` go on; a session has set it to 0. It is not stored:
   * throws when Herald cannot be reached, because the number would be another one later.
   */
  fun setBadge(badge: Int) = inTurn {
    val id = subscriptionId ?: throw HeraldException(0, "not_registered", "The device is not registered")
    call("PATCH", "/v1/subscriptions/$id", json(mapOf("badge" to badge)))
    Unit
  }

  /** Stops all pushes until `optIn`. The choice is stored on the device at once. When Herald cannot be reached, a later call sends it. */
  fun optOut() = opt(false)

  /** Allows pushes again. Registers the device again when Herald has forgotten it while the user had opted out. */
  fun optIn() = opt(true)

  private fun opt(isIn: Boolean) = inTurn {
    state.set("optedOut" to "${!isIn}")
    state.waiting = state.waiting.filter { it.path != "" }
    change(Change("PATCH", "", json(mapOf("optedIn" to isIn))))
  }

  /** Removes the device from Herald, and forgets it here. The next `register` makes a new device. */
  fun unregister() = turns.withLock {
    try {
      subscriptionId?.let { call("DELETE", "/v1/subscriptions/$it", null) }
    } catch (refused: HeraldException) {
      if (refused.status != 404) throw refused
    }
    state.clear()
  }

  /**
   * Reports that a push was shown. Call it after showing the push, never before. Gives whether the report arrived, and does not throw when it did
   * not: it is then sent after a later call, for at most 7 days. At most 50 reports wait.
   */
  fun delivered(msgId: String): Boolean = report("d/${encoded(msgId)}")

  /** Reports that the user opened the app by this push. */
  fun opened(msgId: String): Boolean = report("o/${encoded(msgId)}")

  /** Reports that the user followed the link of this push or chose an action of it, and also that the push was opened. */
  fun clicked(msgId: String, action: String? = null): Boolean =
    report("o/${encoded(msgId)}", "c/${encoded(msgId)}" + if (action == null) "" else "?action=${encoded(action)}")

  /** Reports that the user closed this push. Do not call it for a push that a later push replaced. */
  fun dismissed(msgId: String): Boolean = report("x/${encoded(msgId)}")

  /**
   * Takes the user of this push out of its category: offer it when the data of the push have `heraldCategory`. Gives whether Herald has heard it; else it
   * is sent later, like a report.
   */
  fun leaveCategory(msgId: String): Boolean = report("u/${encoded(msgId)}")

  private fun <T> inTurn(work: () -> T): T = turns.withLock(work).also { sendReports() }

  /**
   * Sends one change of the user or the device, after all earlier changes. While it cannot be sent it stays stored, for at most 7 days. When more than
   * 50 changes wait, the oldest login or change of the user is dropped. Logouts, opt-outs and opt-ins are never dropped.
   */
  private fun change(change: Change) {
    val waiting = state.waiting + change
    val oldest = if (waiting.size > mostWaiting) waiting.firstOrNull { it.isSpare } else null
    state.waiting = waiting.filter { it !== oldest }
    sendWaiting()
  }

  /**
   * Sends the waiting changes in order, and stops at the first that cannot be sent now. Drops a change that Herald refuses, and throws the error. A 401
   * drops nothing, because a later version of the Android app may have a right key. After a 404 it begins anew, once.
   */
  private fun sendWaiting() {
    state.waiting = state.waiting.filter { !it.isSpare || now() - it.at < 7 * dayMs }
    var isAnew = false
    while (true) {
      try {
        val id = subscriptionId ?: registerAgain() ?: return
        val next = state.waiting.firstOrNull() ?: return
        try {
          send(id, next)
        } catch (refused: HeraldException) {
          if (refused.isTemporary || refused.status == 401) throw refused
          if (refused.status == 404 && !isAnew) {
            isAnew = true
            beginAnew()
            continue
          }
          state.waiting = state.waiting.drop(1)
          throw refused
        }
        state.waiting = state.waiting.drop(1)
      } catch (refused: HeraldException) {
        if (refused.isTemporary) return
        throw refused
      }
    }
  }

  private fun send(id: String, change: Change) {
    val user = if (change.path == "login") text(change.body, "externalId") else null
    val token =
      try {
        user?.let(identityToken)
      } catch (_: Exception) {
        throw HeraldException(0, "identity_token_failed", "identityToken has thrown")
      }
    call(change.method, "/v1/subscriptions/$id" + if (change.path == "") "" else "/${change.path}", change.body.ifEmpty { null }, token)
    if (user != null) state.set("user" to user)
  }

  /**
   * Forgets a device that Herald does not know any more, and drops the opt-ins, opt-outs and logouts that wait for it. Other changes wait for the new
   * device.
   */
  private fun beginAnew() {
    state.waiting = state.waiting.filter { it.isSpare }
    state.remove("id")
  }

  /** Repeats the last registration. Gives null when there was none, or the user has opted out. */
  private fun registerAgain(): String? {
    val registration = state["registration"]
    return if (registration == null || isOptedOut) null else sendRegistration(registration, registration)
  }

  private val isOptedOut get() = state["optedOut"] == "true"

  /** Reports a session. When Herald does not know the device any more, it begins anew. Any other failure passes without an error. */
  private fun session() {
    val id = subscriptionId ?: return
    try {
      call("POST", "/v1/subscriptions/$id/session", null)
    } catch (refused: HeraldException) {
      if (refused.status != 404) return
      beginAnew()
      sendWaiting()
    }
  }

  private fun report(vararg paths: String): Boolean {
    val fresh = paths.map { Change("POST", it, "") }
    return sendReports(fresh).containsAll(fresh)
  }

  /**
   * Stores fresh reports, and sends them and after them those that wait from earlier, until one cannot be sent now. Drops one that Herald refuses. Gives
   * those that Herald took.
   */
  private fun sendReports(fresh: List<Change> = emptyList()): List<Change> {
    val all =
      synchronized(reports) {
        if (fresh.isNotEmpty()) reports.waiting = (fresh + reports.waiting).take(mostWaiting)
        reports.waiting
      }
    val taken = ArrayList<Change>()
    for (report in all) {
      try {
        if (now() - report.at < 7 * dayMs) {
          call("POST", "/v1/" + (if (report.path.startsWith("u/")) "" else "e/") + report.path, null, limitMs = 5_000, triesLeft = 0)
          taken += report
        }
      } catch (refused: HeraldException) {
        if (refused.isTemporary) break
      }
      synchronized(reports) { reports.waiting = reports.waiting - report }
    }
    return taken
  }

  /**
   * Sends a request. After a 429 or 5xx it waits as long as Retry-After says, and sends it again. When that is longer than 4 s, or no try is left, it
   * throws, and for that time, at most an hour, every request throws without being sent.
   */
  private fun call(method: String, path: String, body: String?, identityToken: String? = null, limitMs: Int = 10_000, triesLeft: Int = 2): String {
    val restMs = (state["restUntil"]?.toLongOrNull() ?: 0) - now()
    // A longer rest comes from a clock that was set back.
    if (restMs in 1..longestRestMs) {
      if (triesLeft == 0 || restMs > longestWaitMs) throw HeraldException(0, "asked_to_wait", "Herald has asked to wait for ${restMs / 1000 + 1} s")
      Thread.sleep(restMs)
    }
    try {
      return ask(method, path, body, identityToken, limitMs)
    } catch (refused: HeraldException) {
      if (refused.status == 0 || !refused.isTemporary) throw refused
      val waitMs = maxOf((Math.random() * 2_000).toLong(), refused.retryAfterMs)
      if (triesLeft == 0 || waitMs > longestWaitMs) {
        state.set("restUntil" to (now() + minOf(refused.retryAfterMs, longestRestMs)).toString())
        throw refused
      }
      Thread.sleep(waitMs)
    }
    return call(method, path, body, identityToken, limitMs, triesLeft - 1)
  }

  private fun ask(method: String, path: String, body: String?, identityToken: String?, limitMs: Int): String {
    val connection = URI.create(base + path).toURL().openConnection() as HttpURLConnection
    try {
      setMethod(connection, method)
      connection.connectTimeout = limitMs / 2
      connection.readTimeout = limitMs / 2
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
      if (status < 300) return answer
      val message = text(answer, "message").ifEmpty { "Herald answered $status" }
      throw HeraldException(status, text(answer, "code"), message, pathsIn(answer), retryAfterMs(connection.getHeaderField("retry-after")) ?: 0)
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
private const val longestWaitMs = 4_000L
private const val longestRestMs = 3_600_000L
private const val sdkVersion = "0.2.0"

private fun now() = System.currentTimeMillis()

private fun encoded(text: String) = URLEncoder.encode(text, "UTF-8")

/** A kind of notifications. `subscribed`: whether the user gets them. Nobody can leave a `locked` one. */
data class Category(val id: String, val name: String, val description: String?, val subscribed: Boolean, val locked: Boolean)

private val objectInJson = Regex("\\{(?:[^{}\"]|\"(?:[^\"\\\\]|\\\\.)*\")*\\}")

/** Reads the objects without objects inside, which are the categories of the answer. */
private fun categoriesIn(answer: String): List<Category> =
  objectInJson.findAll(answer).map { it.value }.toList().map { one ->
    fun isTrue(name: String) = Regex("\"$name\"\\s*:\\s*true").containsMatchIn(one.replace(Regex(":\\s*\"(?:[^\"\\\\]|\\\\.)*\""), ":"))
    Category(text(one, "id"), text(one, "name"), text(one, "description").ifEmpty { null }, isTrue("subscribed"), isTrue("locked"))
  }
/** The path below a device to which conversions are reported. */
private const val conversions = "conversions"

private fun isoTime(at: Long) = httpDate("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").format(Date(at))

/** A change or a report that waits to be sent. */
private class Change(val method: String, val path: String, val body: String, val at: Long = now()) {
  /** Whether it is about the user's data. Users rely on logouts, opt-outs and opt-ins. */
  val isSpare get() = path == "login" || path == "user" || path == conversions || path == "preferences"
}

private fun loginOf(externalId: String) = Change("POST", "login", json(mapOf("externalId" to externalId)))

/**
 * Gives what Android says about the phone; null on a plain JVM. It is asked by name, so that this file compiles without Android's classes.
 */
private fun fact(ofClass: String, name: String): String? =
  try {
    (Class.forName(ofClass).getField(name).get(null) as? String)?.take(255)
  } catch (_: ReflectiveOperationException) {
    null
  }

/**
 * What is stored in a file on the device: lines of `name=value` and lines of waiting changes, with every value percent-encoded. Each write makes a
 * new file that then replaces the old one.
 */
private class State(private val file: File) {
  private val values = HashMap<String, String>()
  var waiting: List<Change> = emptyList()
    @Synchronized set(changed) {
      field = changed
      write()
    }

  init {
    val changes = ArrayList<Change>()
    if (file.exists())
      for (line in file.readLines()) {
        val parts = line.split('=').map { URLDecoder.decode(it, "UTF-8") }
        if (parts.size == 2) values[parts[0]] = parts[1]
        if (parts.size == 5 && parts[0] == "change") changes += Change(parts[1], parts[2], parts[3], parts[4].toLongOrNull() ?: 0)
      }
    waiting = changes
  }

  @Synchronized operator fun get(name: String): String? = values[name]

  @Synchronized
  fun set(vararg changed: Pair<String, String>) {
    values.putAll(changed)
    write()
  }

  @Synchronized
  fun remove(name: String) {
    values.remove(name)
    write()
  }

  @Synchronized
  fun clear() {
    values.clear()
    waiting = emptyList()
  }

  private fun write() {
    fun line(vararg parts: String) = parts.joinToString("=") { encoded(it) }
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

/**
 * Reads a text field, or gives an empty text. It undoes the escapes of quotes and backslashes: ids and codes have no others, and a message is only shown.
 */
private fun text(json: String, name: String): String =
  Regex("\"$name\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").find(json)?.groupValues?.get(1)?.replace(Regex("\\\\(.)"), "$1") ?: ""
