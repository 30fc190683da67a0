// The packages of a release all have its version.
import { version } from '@herald/web/package.json' with { type: 'json' }
/** The facts that a snippet contains. A secret key is none of them, because programs read that key from their environment. */
export type SnippetFacts = { baseUrl: string; publicKey: string; vapidPublicKey: string }

const unknown = { publicKey: 'pk_…', vapidPublicKey: 'the public key of Web Push' }

/** Gives the facts for a snippet, with a stand-in such as `pk_…` for each that is not known yet. */
export const completed = ({ baseUrl, publicKey, vapidPublicKey }: Partial<SnippetFacts> & { baseUrl: string }): SnippetFacts => ({
  baseUrl,
  publicKey: publicKey ?? unknown.publicKey,
  vapidPublicKey: vapidPublicKey ?? unknown.vapidPublicKey,
})

/** Gives the environment file from which a backend reads its keys. */
export const envFile = ({ baseUrl, publicKey, secretKey }: { baseUrl: string; publicKey: string; secretKey: string }): string =>
  `HERALD_URL=${baseUrl}\nHERALD_PUBLIC_KEY=${publicKey}\nHERALD_SECRET_KEY=${secretKey}\n`

const workerFile = ({ baseUrl }: SnippetFacts): string =>
  `// /herald-sw.js, on your own origin\nimportScripts('${baseUrl}/sdk/v1/worker.iife.js')\nHerald.start()`

const optionsOf = ({ baseUrl, publicKey, vapidPublicKey }: SnippetFacts): string =>
  `{\n  baseUrl: '${baseUrl}',\n  appKey: '${publicKey}',\n  vapidPublicKey: '${vapidPublicKey}',\n}`

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

/** Snippets with which a web page or a mobile app registers a device. */
export const registrationSnippets: Record<
  'html' | 'npm' | 'swift' | 'kotlin' | 'curl',
  { label: string; language: string; text: (facts: SnippetFacts) => string }
> = {
  html: {
    label: 'A web page',
    language: 'HTML',
    text: (facts) => `<!-- In your page. The worker is a file of yours:
     ${indented(workerFile(facts), '     ')}
-->
<button id="push" disabled>Notify me</button>
<script src="${facts.baseUrl}/sdk/v1/herald.iife.js"></script>
<script>
  const herald = Herald.init(${indented(optionsOf(facts), '  ')})
  const button = document.getElementById('push')
  herald.ready.then(() => (button.disabled = false))
  button.onclick = () => herald.subscribe()
</script>`,
  },
  npm: {
    label: 'npm',
    language: 'JavaScript',
    text: (facts) => `// npm install ${facts.baseUrl}/sdk/v1/web-${version}.tgz
import { init } from '@herald/web'

const herald = init(${optionsOf(facts)})
await herald.ready
button.onclick = () => herald.subscribe()

${workerFile(facts)}`,
  },
  swift: {
    label: 'iOS (Swift)',
    language: 'Swift',
    text: ({ baseUrl, publicKey }) => `// In your application delegate, after registerForRemoteNotifications()
func application(_ application: UIApplication,
                 didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
  var request = URLRequest(url: URL(string: "${baseUrl}/v1/subscriptions")!)
  request.httpMethod = "POST"
  request.setValue("${publicKey}", forHTTPHeaderField: "x-app-key")
  request.setValue("application/json", forHTTPHeaderField: "content-type")
  request.httpBody = try! JSONSerialization.data(withJSONObject: [
    "platform": "ios",
    "token": deviceToken.map { String(format: "%02x", $0) }.joined(),
    "language": Locale.current.language.languageCode?.identifier ?? "en",
    "timezone": TimeZone.current.identifier,
  ])
  URLSession.shared.dataTask(with: request).resume()
}`,
  },
  kotlin: {
    label: 'Android (Kotlin)',
    language: 'Kotlin',
    text: ({ baseUrl, publicKey }) => `// In your FirebaseMessagingService
override fun onNewToken(token: String) {
  thread {
    val body = JSONObject()
      .put("platform", "android")
      .put("token", token)
      .put("language", Locale.getDefault().language)
      .put("timezone", TimeZone.getDefault().id)
    val call = URL("${baseUrl}/v1/subscriptions").openConnection() as HttpURLConnection
    call.requestMethod = "POST"
    call.setRequestProperty("x-app-key", "${publicKey}")
    call.setRequestProperty("content-type", "application/json")
    call.doOutput = true
    call.outputStream.use { it.write(body.toString().toByteArray()) }
    Log.i("Herald", "registered: \${call.responseCode}")
  }
}`,
  },
  curl: {
    label: 'curl',
    language: 'shell',
    text: ({ baseUrl, publicKey }) => `curl -s ${baseUrl}/v1/subscriptions \\
  -H 'x-app-key: ${publicKey}' -H 'content-type: application/json' \\
  -d '{"platform":"android","token":"a-registration-token","externalId":"customer-7","language":"en"}'`,
  },
}

/** Snippets with which a backend sends the first push again. */
export const sendSnippets: Record<
  'curl' | 'node',
  { label: string; language: string; text: (facts: { baseUrl: string; subscriptionId: string; title: string; body: string }) => string }
> = {
  curl: {
    label: 'curl',
    language: 'shell',
    text: ({ baseUrl, subscriptionId, title, body }) => `curl -s ${baseUrl}/v1/notifications \\
  -H "authorization: Bearer $HERALD_SECRET_KEY" -H 'content-type: application/json' \\
  -d '${shellQuoted(JSON.stringify({ target: { subscriptionIds: [subscriptionId] }, content: { _default: 'en', en: { title, body } } }))}'`,
  },
  node: {
    label: 'Node',
    language: 'JavaScript',
    text: ({ baseUrl, subscriptionId, title, body }) => `// npm install ${baseUrl}/sdk/v1/node-${version}.tgz
import { Herald } from '@herald/node'

const herald = new Herald({ baseUrl: '${baseUrl}', key: process.env.HERALD_SECRET_KEY })
const { id } = await herald.notifications.send({
  target: { subscriptionIds: ['${subscriptionId}'] },
  content: { _default: 'en', en: ${JSON.stringify({ title, body })} },
})
console.log(id)`,
  },
}

/** Escapes a text that stands between single quotes in a shell. */
const shellQuoted = (text: string): string => text.replaceAll("'", String.raw`'\''`)
