import { randomBytes } from 'node:crypto'
import { webhooks, type WebhookEvent } from '@herald/node'
import { connect } from './connection.ts'
import { wait, watchEvents } from './event-stream.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

export type ListenOptions = { app?: string; forward?: string; events?: string }

/** A batch holds at most this many events, and is posted at most this long after its first event. Herald's own deliveries have the same limits. */
const [mostEvents, longestWaitMs] = [100, 1_000]
const answerWithinMs = 10_000
const pausesMs = [1_000, 2_000, 4_000, 8_000]
/** At most this many batches wait for the receiver; when there are more, the oldest is dropped. */
const mostWaiting = 100

/**
 * Posts an app's events to an address as Herald posts to a webhook endpoint, signed with HERALD_WEBHOOK_SECRET or a new secret that it prints.
 * Repeats a batch after the same answers as Herald, but sooner and at most five times.
 */
export async function listen(terminal: Terminal, { app, forward, events }: ListenOptions): Promise<number> {
  const url = readUrl(forward)
  const types = events?.split(',').map((type) => type.trim())
  const { herald, appPath } = connect(terminal, app)
  const path = await appPath()
  const secret = terminal.env['HERALD_WEBHOOK_SECRET'] || `whsec_${randomBytes(32).toString('base64url')}`
  if (!terminal.env['HERALD_WEBHOOK_SECRET']) terminal.out(`secret: ${secret}`)
  const outbox = openOutbox(terminal, url, secret)
  await watchEvents(
    herald,
    path,
    {
      opened: (isAgain) =>
        terminal.say(isAgain ? 'Watching again. What happened in between is not posted.' : `Posting to ${url.href}. Ctrl-C ends it.`),
      event: (event) => (types === undefined || types.includes(event.type)) && outbox.add(event),
      dropped: (count) => terminal.say(`${count} events are not posted: more than 100 came in a second.`),
      broken: (reason) => terminal.say(`The stream broke (${reason}). Opening it again.`),
    },
    terminal.stop,
  )
  await outbox.ended()
  return 0
}

function readUrl(forward: string | undefined): URL {
  if (forward === undefined || !URL.canParse(forward)) throw new UsageError('Where to? Give --forward http://localhost:3000/your/path')
  const url = new URL(forward)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new UsageError('--forward must begin with http:// or https://')
  return url
}

function openOutbox(terminal: Terminal, url: URL, secret: string) {
  let gathered: WebhookEvent[] = []
  let timer: NodeJS.Timeout | undefined
  const waiting: WebhookEvent[][] = []
  let working = Promise.resolve()
  let isWorking = false

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (gathered.length === 0) return
    waiting.push(gathered)
    gathered = []
    if (waiting.length > mostWaiting) terminal.say(`${waiting.shift()?.length} events are dropped: the receiver takes them too slowly.`)
    if (!isWorking) working = work()
  }
  const work = async () => {
    isWorking = true
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) await deliver(terminal, url, secret, batch)
    isWorking = false
  }
  return {
    add(event: WebhookEvent) {
      gathered.push(event)
      if (gathered.length >= mostEvents) flush()
      else timer ??= setTimeout(flush, longestWaitMs)
    },
    /** Posts the events that wait when the command ends, once each. */
    async ended() {
      flush()
      await working
    },
  }
}

async function deliver(terminal: Terminal, url: URL, secret: string, events: WebhookEvent[]): Promise<void> {
  const id = `dlv_${randomBytes(12).toString('hex')}`
  const body = JSON.stringify({ id, events })
  const named = `${id}  ${events.length} ${countsOf(events)}`
  for (let attempt = 0; ; attempt += 1) {
    const startedAt = Date.now()
    const answer = await post(url, body, await webhooks.sign(body, secret))
    terminal.out(`${String(answer)}  ${Date.now() - startedAt} ms  ${named}`)
    const pause = pausesMs[attempt]
    const isTaken = typeof answer === 'number' && answer < 500 && answer !== 429 && answer !== 408
    if (isTaken || pause === undefined || terminal.stop.aborted) return
    await wait(pause, terminal.stop)
  }
}

/** Posts a batch. Gives the status of the answer, or a text that says why there is no answer. */
async function post(url: URL, body: string, signature: string): Promise<number | string> {
  const headers = { 'content-type': 'application/json', [webhooks.signatureHeader]: signature }
  try {
    const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal: AbortSignal.timeout(answerWithinMs) })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'no answer in 10 s' : 'not reached'
  }
}

function countsOf(events: readonly WebhookEvent[]): string {
  const counts = new Map<string, number>()
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, count]) => (count === 1 ? type : `${type} ×${count}`)).join(', ')
}
