import { http } from '@herald/testing/herald'
import type { ApiDocument } from '@herald/testing/fuzz-requests'
import { runFuzz } from '@herald/testing/run-fuzz'
import { readOptions, say } from './options.ts'

const help = `npm run fuzz -- --url http://127.0.0.1:8080 --admin-token <token> [--count 200000] [--seed 1] [--concurrency 32]

Makes an app of its own on a running platform, sends generated requests to it, many of them hostile, and judges each answer by the
platform's own OpenAPI document. Ends with 1 when an answer broke a promise or was a 5xx. Start the platform with SUBSCRIBE_RATE_LIMIT=0,
IDENTITY_RATE_LIMIT=0, SEND_RATE_LIMIT=0, EVENT_RATE_LIMIT=0, DEVICE_RATE_LIMIT=0 and API_RATE_LIMIT=0, or most answers will be 429.`

const defaults = { url: '', 'admin-token': '', count: 200_000, seed: 1, concurrency: 32 }
const { url: baseUrl, 'admin-token': adminToken, count, seed, concurrency } = readOptions(help, defaults)

if (baseUrl === '' || adminToken === '') {
  say(help)
  process.exitCode = 1
} else {
  const headers = { authorization: `Bearer ${adminToken}` }
  const made = async <Body>(path: string, body: unknown): Promise<Body> => {
    const answer = await http<Body>('POST', `${baseUrl}/v1/admin${path}`, { headers, body })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { id: appId } = await made<{ id: string }>('/apps', { name: 'Fuzz' })
  const { key: secretKey } = await made<{ key: string }>(`/apps/${appId}/keys`, { kind: 'secret', name: 'fuzz' })
  const { key: publicKey } = await made<{ key: string }>(`/apps/${appId}/keys`, { kind: 'public', name: 'fuzz' })
  const { body: document } = await http<ApiDocument>('GET', `${baseUrl}/openapi.json`)

  const { asked, seconds, seen, failed, failures } = await runFuzz({
    baseUrl,
    document,
    credentials: { secretKey, publicKey },
    count,
    seed,
    concurrency,
  })
  await http('DELETE', `${baseUrl}/v1/admin/apps/${appId}`, { headers })

  for (const [outcome, times] of [...seen].toSorted(([one], [other]) => one.localeCompare(other)))
    say(`${String(times).padStart(8)}  ${outcome}`)
  for (const failure of failures) say(JSON.stringify(failure, null, 2))
  say(`${asked} requests in ${seconds.toFixed(1)} s (${Math.round(asked / seconds)}/s), ${failed} broke a promise`)
  process.exitCode = failed === 0 ? 0 : 1
}
