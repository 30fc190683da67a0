// A program that `npm run test:mobile` runs: the Android side of Herald on a phone of stubs. Each line of its input is what Firebase or the user does,
// and it prints a line for each. A notification tells the server when it is shown, so that the order with the reports can be seen.
package dev.herald.test

import android.app.NotificationManager
import android.content.Context
import com.google.firebase.messaging.RemoteMessage
import dev.herald.android.HeraldDismissed
import dev.herald.android.HeraldMessagingService
import dev.herald.android.HeraldPushes
import java.io.File
import java.net.URI
import java.util.concurrent.CompletableFuture

fun main(arguments: Array<String>) {
  val (baseUrl, appKey, directory) = arguments
  val context = Context()
  Context.directory = File(directory)
  NotificationManager.whenShown = { tag -> URI.create("$baseUrl/shown/$tag").toURL().readText() }
  val started = CompletableFuture<Unit>()
  HeraldPushes.bridge(context).call("start", mapOf("baseUrl" to baseUrl, "appKey" to appKey)) { _, _ -> started.complete(Unit) }
  started.get()
  var tapped = "nothing"
  HeraldPushes.bridge(context).listen { name, event -> if (name == "tap") tapped = "${event["url"]} ${event["action"]}" }
  val shown = NotificationManager.shown
  for (line in generateSequence(::readlnOrNull)) {
    val words = line.split(' ')
    when (words[0]) {
      "receive" -> {
        val (_, msgId, tag, url, actions) = words.map { it.takeIf { word -> word != "-" } }
        val data = mapOf("msgId" to msgId, "url" to url, "actions" to actions).filterValues { it != null }.mapValues { "${it.value}" }
        HeraldMessagingService().onMessageReceived(RemoteMessage(data, RemoteMessage.Notification("Shipped", "It arrives today", tag)))
      }
      "tap" -> {
        // A tap on the text takes the notification away, and one on a button does not.
        val intent = if (words[2] == "-") shown.remove(words[1])?.contentIntent else shown[words[1]]?.actions?.first { it.title == words[2] }?.actionIntent
        tapped = "nothing"
        HeraldPushes.opened(context, intent?.intent)
      }
      "close" -> HeraldDismissed().onReceive(context, shown.remove(words[1])!!.deleteIntent!!.intent)
    }
    println(if (words[0] == "tap") tapped else shown.keys.joinToString())
    System.out.flush()
  }
}
