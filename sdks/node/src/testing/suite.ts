import { Herald, HeraldError, identityToken, webhooks, type HeraldOptions, type UserRow } from '../herald.ts'
import { equal, isTrue, rejection, thrown } from './expect.ts'
import type { Heard, Step } from './stand-in.ts'
import vectors from './signature-vectors.json' with { type: 'json' }

export type Result = { name: string; ok: boolean; error?: string }

const key = 'sk_live_0123456789abcdef01234567_secretsecretsecret'
const error = (code: string, status: number, headers: Record<string, string> = {}, details?: object[]): Step => ({
  does: 'answer',
  status,
  headers,
  body: { error: { code, message: `It is ${code}.`, ...(details ? { details } : {}) } },
})
const answer = (body: unknown, status = 200): Step => ({ does: 'answer', status, body })
const notification = { target: { externalIds: ['customer-7'] }, content: { _default: 'en', en: { title: 'Hi', body: 'There' } } }

/** Runs the tests below against the stand-in at `url` and gives each result. The tests use nothing of Node, so any runtime with `fetch` runs them. */
export async function runSuite(url: string): Promise<Result[]> {
  const results: Result[] = []
  for (const [name, run] of Object.entries(suite)) {
    try {
      await run((steps, options) => openScene(url, name.replaceAll(/\W+/g, '-'), steps, options))
      results.push({ name, ok: true })
    } catch (failure) {
      results.push({ name, ok: false, error: failure instanceof Error ? `${failure.message}\n${failure.stack}` : String(failure) })
    }
  }
  return results
}

type Scene = { herald: Herald; heard: () => Promise<Heard[]>; closed: () => Promise<number> }
type Open = (steps: Step[], options?: Partial<HeraldOptions>) => Promise<Scene>

async function openScene(url: string, name: string, steps: Step[], options: Partial<HeraldOptions> = {}): Promise<Scene> {
  const put = await fetch(`${url}/scenes/${name}`, { method: 'PUT', body: JSON.stringify(steps) })
  await put.text()
  const ask = async () => (await (await fetch(`${url}/scenes/${name}`)).json()) as { heard: Heard[]; closed: number }
  return {
    herald: new Herald({ baseUrl: `${url}/${name}`, key, ...options }),
    heard: async () => (await ask()).heard,
    closed: async () => (await ask()).closed,
  }
}

const suite: Record<string, (open: Open) => Promise<void>> = {
  'a send carries the key, the body and an idempotency key of its own'(open) {
    return withScene(open, [answer({ id: 'a', status: 'sending' }, 202)], async ({ herald, heard }) => {
      equal(await herald.notifications.send(notification), { id: 'a', status: 'sending' })
      await herald.notifications.send(notification)
      await herald.notifications.send(notification, { idempotencyKey: 'order-17' })
      const [first, second, third] = await heard()
      equal([first?.method, first?.path], ['POST', '/v1/notifications'])
      equal(JSON.parse(first?.body ?? ''), notification)
      equal(first?.headers['authorization'], `Bearer ${key}`)
      equal(first?.headers['content-type'], 'application/json')
      isTrue(/^[0-9a-f-]{36}$/.test(first?.headers['idempotency-key'] ?? ''), 'a key per call')
      isTrue(first?.headers['idempotency-key'] !== second?.headers['idempotency-key'], 'another call, another key')
      equal(third?.headers['idempotency-key'], 'order-17')
    })
  },

  'a send whose answer is lost is repeated with the same idempotency key and request id'(open) {
    const steps: Step[] = [{ does: 'drop' }, { does: 'cut' }, answer({ id: 'a', status: 'sending' }, 202)]
    return withScene(open, steps, async ({ herald, heard }) => {
      equal(await herald.notifications.send(notification), { id: 'a', status: 'sending' })
      const all = await heard()
      equal(all.length, 3)
      equal(new Set(all.map(({ headers }) => headers['idempotency-key'])).size, 1)
      equal(new Set(all.map(({ headers }) => headers['x-request-id'])).size, 1)
    })
  },

  'a request is sent again after a temporary failure, and when no try is left the call rejects with the last failure'(open) {
    const steps = [
      error('rate_limited', 429),
      error('queue_unavailable', 503),
      answer({ publicKey: 'BPk' }),
      error('database_unavailable', 503),
    ]
    return withScene(open, steps, async ({ herald, heard }) => {
      equal(await herald.webPushKey(), { publicKey: 'BPk' })
      const refused = await rejection(herald.webPushKey({ retries: 1 }))
      isTrue(refused instanceof HeraldError && refused.is('database_unavailable') && refused.status === 503, 'the last error')
      equal((await heard()).length, 5)
    })
  },

  'a POST that Herald is still processing under the same idempotency key is sent again'(open) {
    const steps = [error('idempotency_in_progress', 409), answer({ id: 'a', status: 'draft' }, 201)]
    return withScene(open, steps, async ({ herald }) => {
      equal(await herald.campaigns.create({ name: 'Spring', content: notification.content }), { id: 'a', status: 'draft' })
    })
  },

  'the SDK waits as long as Retry-After says, and rejects with the number of seconds when that is more than 60'(open) {
    const steps = [error('rate_limited', 429, { 'retry-after': '1' }), answer({}), error('rate_limited', 429, { 'retry-after': '90' })]
    return withScene(open, steps, async ({ herald, heard }) => {
      await herald.webPushKey()
      const [first, second] = await heard()
      isTrue((second?.at ?? 0) - (first?.at ?? 0) >= 950, 'it waited a second')
      const refused = await rejection(herald.webPushKey())
      isTrue(refused instanceof HeraldError && refused.retryAfterSeconds === 90, 'the seconds')
      equal((await heard()).length, 3)
    })
  },

  'a POST that could have an effect twice is not repeated'(open) {
    return withScene(open, [{ does: 'drop' }], async ({ herald, heard }) => {
      for (const call of [
        () => herald.campaigns.cancel('a'),
        () => herald.campaigns.pickWinner('a', 'b'),
        () => herald.segments.create({ name: 'a', definition: {} }),
        () => herald.subscriptions.logout('a'),
      ]) {
        const lost = await rejection(call())
        isTrue(lost instanceof HeraldError && lost.is('network_error') && lost.status === 0, 'the loss is told')
      }
      equal((await heard()).length, 4)
    })
  },

  'when the answer to sending a campaign is lost, the next try gives the status of the campaign that is under way'(open) {
    const steps: Step[] = [{ does: 'drop' }, error('invalid_state', 409), answer({ id: 'a', status: 'sending', stats: {}, rates: {} })]
    return withScene(open, steps, async ({ herald, heard }) => {
      equal(await herald.campaigns.send('a'), { status: 'sending' })
      equal(
        (await heard()).map(({ method, path }) => `${method} ${path}`),
        ['POST /v1/campaigns/a/send', 'POST /v1/campaigns/a/send', 'GET /v1/campaigns/a/stats'],
      )
    })
  },

  'sending a campaign that cannot be sent rejects with invalid_state'(open) {
    return withScene(open, [error('invalid_state', 409)], async ({ herald }) => {
      const refused = await rejection(herald.campaigns.send('a'))
      isTrue(refused instanceof HeraldError && refused.is('invalid_state'), 'the refusal')
    })
  },

  'a deletion whose answer was lost succeeds when the next try is answered 404'(open) {
    const steps: Step[] = [{ does: 'drop' }, error('not_found', 404)]
    return withScene(open, steps, async ({ herald }) => {
      equal(await herald.users.delete({ externalId: 'customer/7 é' }), undefined)
      isTrue((await rejection(herald.users.delete({ id: 'a' }))) instanceof HeraldError, 'without a loss it is a 404')
    })
  },

  'a try without an answer ends after its time limit, and a call after the limit of all tries'(open) {
    return withScene(open, [{ does: 'hang' }], async ({ herald, heard }) => {
      const late = await rejection(herald.webPushKey({ timeoutMs: 50, retries: 1 }))
      isTrue(late instanceof HeraldError && late.is('timeout') && late.status === 0, 'a timeout')
      equal((await heard()).length, 2)
      const over = await rejection(herald.webPushKey({ timeoutMs: 10_000, totalTimeoutMs: 60 }))
      isTrue(over instanceof HeraldError && over.is('timeout'), 'the whole call')
    })
  },

  'an aborted signal ends a call with its reason, while it waits for an answer and between two tries'(open) {
    return withScene(open, [{ does: 'hang' }, error('rate_limited', 429, { 'retry-after': '20' })], async ({ herald, heard }) => {
      for (const tries of [1, 2]) {
        const stop = new AbortController()
        const asked = rejection(herald.webPushKey({ signal: stop.signal }))
        for (let heardOf = 0; heardOf < tries; heardOf = (await heard()).length);
        const reason = new Error('enough')
        stop.abort(reason)
        isTrue((await asked) === reason, 'the reason')
      }
      isTrue((await rejection(herald.webPushKey({ signal: AbortSignal.abort('before') }))) === 'before', 'before it began')
    })
  },

  'an error contains its code, the wrong fields and the request id, and no key'(open) {
    const details = [{ path: 'content.en.title', message: 'must not be blank' }]
    return withScene(open, [error('invalid_body', 422, {}, details)], async ({ herald, heard }) => {
      const refused = await rejection(herald.notifications.send(notification))
      if (!(refused instanceof HeraldError)) throw new Error('no HeraldError')
      equal([refused.name, refused.code, refused.status, refused.message], ['HeraldError', 'invalid_body', 422, 'It is invalid_body.'])
      equal(refused.details, details)
      equal([refused.at('content.en.title'), refused.at('target')], ['must not be blank', undefined])
      equal(refused.requestId, (await heard())[0]?.headers['x-request-id'])
      isTrue(![String(refused), JSON.stringify(refused), String(refused.stack), JSON.stringify(herald)].join().includes(key), 'no key')
    })
  },

  'a page of a proxy and a redirect are errors with the code invalid_answer'(open) {
    const page: Step = { does: 'answer', status: 502, text: '<h1>Bad gateway</h1>' }
    const moved: Step = { does: 'answer', status: 308, text: '', headers: { location: 'https://elsewhere.example/' } }
    return withScene(open, [page, { does: 'answer', status: 200, text: '<p>Hello</p>' }, moved], async ({ herald, heard }) => {
      for (const status of [200, 308]) {
        const strange = await rejection(herald.webPushKey())
        isTrue(strange instanceof HeraldError && strange.is('invalid_answer') && strange.status === status, `invalid_answer of ${status}`)
      }
      equal((await heard()).length, 3)
    })
  },

  'a list gives the items of all its pages, or one page when a page is asked for'(open) {
    const page = (names: string[], nextCursor: string | null) => answer({ segments: names.map((name) => ({ name })), nextCursor })
    return withScene(open, [page(['a', 'b'], 'next'), page(['c'], null)], async ({ herald, heard }) => {
      const names: string[] = []
      for await (const { name } of herald.segments.list({ q: 'vip &', limit: 2 })) names.push(name)
      equal(names, ['a', 'b', 'c'])
      equal((await herald.segments.list().page()).nextCursor, null)
      equal(
        (await heard()).map(({ path }) => path),
        ['/v1/segments?q=vip+%26&limit=2', '/v1/segments?q=vip+%26&limit=2&cursor=next', '/v1/segments'],
      )
    })
  },

  'users from a stream are sent 500 at a time, and the report names each refused row'(open) {
    const rows = async function* (count: number): AsyncGenerator<UserRow> {
      for (let n = 0; n < count; n += 1) yield { externalId: `customer-${n}`, tags: { n } }
    }
    const results = Array.from({ length: 500 }, (_, index) =>
      index === 3 ? { index, status: 422, error: { code: 'invalid_body', message: 'No.' } } : { index, status: 200, created: index === 4 },
    )
    return withScene(
      open,
      [answer({ results }), answer({ results }), answer({ results: results.slice(0, 203) })],
      async ({ herald, heard }) => {
        const { failed, ...report } = await herald.users.upsertMany(rows(1_203), { concurrency: 1 })
        equal(report, { updated: 1_200, created: 3, failedCount: 3 })
        equal(
          failed.map(({ index, row, error: { code } }) => [index, row.externalId, code]),
          [
            [3, 'customer-3', 'invalid_body'],
            [503, 'customer-503', 'invalid_body'],
            [1_003, 'customer-1003', 'invalid_body'],
          ],
        )
        equal(
          (await heard()).map(({ body }) => (JSON.parse(body) as { users: unknown[] }).users.length),
          [500, 500, 203],
        )
      },
    )
  },

  'changing many users stops when Herald refuses the key'(open) {
    return withScene(open, [error('unauthorized', 401)], async ({ herald, heard }) => {
      const rows = Array.from({ length: 5_000 }, (_, n) => ({ externalId: `c-${n}`, language: 'de' }))
      const refused = await rejection(herald.users.upsertMany(rows, { concurrency: 2 }))
      isTrue(refused instanceof HeraldError && refused.is('unauthorized'), 'unauthorized')
      isTrue((await heard()).length <= 2, 'no further request')
    })
  },

  'waiting for a campaign gives its stats when it has ended, and rejects with timeout after the time limit'(open) {
    const at = (status: string) => answer({ id: 'a', status, stats: { sent: 3 }, rates: {} })
    return withScene(open, [at('sending'), at('sending'), at('sent'), at('active')], async ({ herald }) => {
      equal((await herald.campaigns.settled('a')).stats.sent, 3)
      const late = await rejection(herald.campaigns.settled('a', { timeoutMs: 1 }))
      isTrue(late instanceof HeraldError && late.is('timeout') && late.message.includes('active'), 'it names the status')
    })
  },

  'the caller reads a stream while it comes, and ends it with a signal'(open) {
    return withScene(open, [{ does: 'stream' }], async ({ herald, closed }) => {
      const stop = new AbortController()
      const response = await herald.open('GET', '/v1/admin/apps/a/events', { signal: stop.signal })
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      equal((await reader?.read())?.value, 'data: first\n\n')
      const rest = reader?.read()
      stop.abort()
      await rejection(Promise.resolve(rest))
      while ((await closed()) === 0);
    })
  },

  'the hooks get the path, status and number of each try and no key, and a hook that throws breaks no call'(open) {
    const notices: object[] = []
    const note = (notice: object) => {
      notices.push(notice)
      throw new Error('a log is full')
    }
    return withScene(
      open,
      [error('queue_unavailable', 503), answer({})],
      async ({ herald }) => {
        await herald.webPushKey()
        equal(notices.length, 4)
        const [asked, refused, , done] = notices as Record<string, unknown>[]
        equal([asked?.['method'], asked?.['path'], asked?.['attempt']], ['GET', '/v1/web-push-key', 1])
        equal([refused?.['status'], refused?.['errorCode'], done?.['status'], done?.['attempt']], [503, 'queue_unavailable', 200, 2])
        isTrue(!JSON.stringify(notices).includes(key), 'no key')
      },
      { onRequest: note, onResponse: note },
    )
  },

  'the SDK uses the fetch function that the caller gave'(open) {
    const own: typeof fetch = () => Promise.resolve(Response.json({ publicKey: 'own' }))
    return withScene(
      open,
      [answer({})],
      async ({ herald, heard }) => {
        equal(await herald.webPushKey(), { publicKey: 'own' })
        equal(await heard(), [])
      },
      { fetch: own },
    )
  },

  async 'a public key, a missing key and http to another machine are refused, without showing the key'() {
    const make = (options: object) => thrown(() => new Herald({ baseUrl: 'https://push.example.com', key, ...options }))
    for (const [options, words] of [
      [{ key: 'pk_live_0_planted' }, 'public key'],
      [{ key: undefined }, 'environment variable'],
      [{ key: `${key}\n` }, 'line end'],
      [{ baseUrl: 'http://push.example.com' }, 'https://'],
      [{ baseUrl: 'http://herald.internal' }, 'allowHttp: true, or HERALD_ALLOW_HTTP=1'],
      [{ baseUrl: 'push.example.com' }, 'baseUrl must be'],
      [{ baseUrl: 'https://me:secret@push.example.com' }, 'without a user'],
      [{ retries: 11 }, 'retries'],
      [{ timeoutMs: 0 }, 'timeoutMs'],
    ] as const) {
      const refused = make(options)
      isTrue(refused instanceof TypeError && refused.message.includes(words), `${words}: ${String(refused)}`)
      isTrue(!String(refused).includes('planted') && !String(refused).includes(key), 'not shown')
    }
    for (const baseUrl of ['http://localhost:8080', 'http://127.0.0.2', 'http://[::1]:1', 'https://push.example.com/herald/'])
      equal(make({ baseUrl }), undefined)
    equal(make({ baseUrl: 'http://herald.internal', allowHttp: true }), undefined)
    await Promise.resolve()
  },

  async 'the SDK accepts and refuses the same signatures as Herald, of at least 60 examples, and refuses those from the future'() {
    isTrue(vectors.length >= 60, 'all vectors')
    for (const { name, secrets, header, body, now, answer } of vectors) {
      for (const form of [body, new TextEncoder().encode(body), new TextEncoder().encode(body).buffer]) {
        const asked = webhooks.verify(form, header, secrets, { now: new Date(now * 1000) })
        const given = await asked.then(({ deliveryId }) => (deliveryId === 'dlv_66f0c1a2b3c4d5e6f7a8b9c0' ? 'ok' : deliveryId), codeOf)
        equal([name, given], [name, answer])
      }
    }
  },

  async 'a body that the SDK signed verifies, and for a parsed body the error says how to get the unparsed one'() {
    const body = JSON.stringify({ id: 'dlv_1', events: [{ type: 'something.new', id: 'evt_1' }] })
    const header = await webhooks.sign(body, 'whsec_a')
    equal(await webhooks.verify(body, header, ['whsec_b', 'whsec_a']), {
      deliveryId: 'dlv_1',
      events: [{ type: 'something.new', id: 'evt_1' }],
    })
    const parsed = await rejection(webhooks.verify(JSON.parse(body) as string, header, 'whsec_a'))
    isTrue(parsed instanceof TypeError && parsed.message.includes('express.raw'), 'the remedy')
    for (const secrets of ['', [], ['a', 'b', 'c', 'd'], ['a', '']])
      isTrue((await rejection(webhooks.verify(body, header, secrets))) instanceof TypeError, 'no secret')
  },

  async 'an identity token is a JWT signed by HS256 with the secret, and is valid for at most an hour'() {
    const token = await identityToken('idsec', 'kündin-7', { expiresInSeconds: 60, now: new Date(1_700_000_000_000) })
    const [head = '', claims = '', signature = ''] = token.split('.')
    const read = (part: string) => JSON.parse(new TextDecoder().decode(bytesOf(part))) as unknown
    equal(
      [read(head), read(claims)],
      [
        { alg: 'HS256', typ: 'JWT' },
        { sub: 'kündin-7', iat: 1_700_000_000, exp: 1_700_000_060 },
      ],
    )
    const text = new TextEncoder()
    const imported = await crypto.subtle.importKey('raw', text.encode('idsec'), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    isTrue(await crypto.subtle.verify('HMAC', imported, bytesOf(signature), text.encode(`${head}.${claims}`)), 'a true signature')
    isTrue((await rejection(identityToken('idsec', 'a', { expiresInSeconds: 3601 }))) instanceof TypeError, 'too long')
    isTrue((await rejection(identityToken('', 'a'))) instanceof TypeError, 'no secret')
  },
}

const withScene = async (
  open: Open,
  steps: Step[],
  run: (scene: Scene) => Promise<void>,
  options?: Partial<HeraldOptions>,
): Promise<void> => run(await open(steps, options))

const codeOf = (failure: unknown): string => (failure instanceof HeraldError ? failure.code : String(failure))
const bytesOf = (part: string) => Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
