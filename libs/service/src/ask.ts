import { setTimeout as sleep } from 'node:timers/promises'
import { wireSubject, type Call } from '@herald/contracts/call'
import { Fault, faultStatus, queueUnavailable, type FaultCode, type FaultDetail } from '@herald/contracts/fault'
import { inboxOf, asksOf } from '@herald/contracts/grants'
import { createInbox, headers, TimeoutError, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node'
import type { Link } from './link.ts'
import { secondsBuckets } from './metrics.ts'
import { activeRequestId } from './request-id.ts'
import type { Service } from './run.ts'
import { inSpan, tracedHeaders } from './trace.ts'
import { turnEnd } from './turn-end.ts'
import type { Versions } from './versions.ts'

/**
 * The largest body to send, in bytes. It is less than the server's `max_payload` of 4 MB, because above that the NATS client throws an error that
 * does not name the subject.
 */
const largestBody = 3_000_000
/**
 * A call fails with "no responders" when no process listens for it. Such a call is made again every 50 ms for this long, because a service that
 * restarts is soon back.
 */
const noResponderPatienceMs = 1_000
/** The header with the id of the HTTP request that a call is made for. The other header of a call is traceparent (trace.ts). */
export const requestIdHeader = 'x-request-id'

/** An answer as it travels over NATS. */
export type Wire<Answer> = { answer: Answer } | { fault: WireFault }
type WireFault = { code: FaultCode; message: string; details?: FaultDetail[] | undefined; retryAfterSeconds?: number | undefined }

export type Ask = {
  <Request, Answer>(contract: Call<Request, Answer>, request: Request): Promise<Answer>
  /** Notes that NATS does not allow this process to publish to a subject. Calls on the subject that wait for an answer fail at once. */
  refused(subject: string): void
}

const nobodyAnswers = new Error('nobody answers')

/**
 * Opens the part of the bus that makes calls. A call to a service of this process does not go over NATS. The NATS client's `request` is not used: its
 * allocations take a third of a call's time.
 */
export function openAsk(service: Service, connection: NatsConnection, link: Link, versions: Versions): Ask {
  const inbox = `${createInbox(inboxOf(service.name))}.`
  type Waiting = { subject: string; resolve: (answer: Msg) => void; reject: (error: Error) => void; timer: NodeJS.Timeout }
  const waiting = new Map<string, Waiting>()
  let asked = 0
  const take = (number: string): Waiting | undefined => {
    const one = waiting.get(number)
    if (!one) return undefined
    clearTimeout(one.timer)
    waiting.delete(number)
    return one
  }
  connection.subscribe(`${inbox}*`, {
    callback: (error, message) => {
      if (error) return service.log.error({ err: error }, 'subscription failed')
      const one = take(message.subject.slice(inbox.length))
      if (message.data.length === 0 && message.headers?.code === 503) one?.reject(nobodyAnswers)
      else one?.resolve(message)
    },
  })
  const send = (subject: string, body: Uint8Array, carried: MsgHdrs | undefined, withinMs: number) =>
    new Promise<Msg>((resolve, reject) => {
      const number = (asked += 1).toString(36)
      const timer = setTimeout(() => take(number)?.reject(new TimeoutError()), withinMs)
      waiting.set(number, { subject, resolve, reject, timer })
      try {
        connection.publish(subject, body, { reply: inbox + number, ...(carried && { headers: carried }) })
      } catch (error) {
        take(number)?.reject(error instanceof Error ? error : new Error(String(error)))
      }
    })

  const granted = new Set(asksOf(service.name).map(({ subject }) => subject))
  const askHere = (subject: string, withinMs: number, answer: () => Promise<Uint8Array>) =>
    new Promise<Uint8Array>((resolve, reject) => {
      if (!granted.has(subject)) {
        service.log.error({ operation: 'publish', subject }, 'the grants of this service do not allow this')
        return reject(new Error('the grants do not allow this'))
      }
      const timer = setTimeout(() => reject(new TimeoutError()), withinMs)
      void answer()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })

  const ask = async <Request, Answer>(contract: Call<Request, Answer>, request: Request): Promise<Answer> => {
    const startedAt = performance.now()
    const subject = wireSubject(contract)
    const body = encode(request, subject)
    const here = service.local?.get(subject)
    const carried = here ? undefined : callHeaders()
    if (!here) await turnEnd()
    const left = () => contract.timeoutMs - (performance.now() - startedAt)
    for (;;) {
      try {
        const data = here
          ? await askHere(contract.subject, left(), () => here(body))
          : (await link.ask(left(), (timeout) => send(subject, body, carried, timeout))).data
        const wire = decode(data) as Wire<Answer>
        if ('fault' in wire) throw faultFrom(wire.fault)
        return wire.answer
      } catch (error) {
        if (error instanceof Fault) throw error
        const nobody = error === nobodyAnswers
        if (nobody && performance.now() - startedAt < Math.min(noResponderPatienceMs, contract.timeoutMs)) {
          await sleep(50)
          continue
        }
        const notInTime = error instanceof TimeoutError ? 'timed out' : 'failed'
        const why = nobody ? ((await versions.whyNobody(contract.subject)) ?? 'nobody answers') : notInTime
        throw new Fault(
          'queue_unavailable',
          queueUnavailable().message,
          undefined,
          new Error(`${contract.subject} ${why}`, { cause: error }),
        )
      }
    }
  }

  const measure = callTimer(service)
  const measured = <Request, Answer>(contract: Call<Request, Answer>, request: Request): Promise<Answer> => {
    const outcome = measure(contract.subject)
    const answer = inSpan('ask', contract.subject, undefined, () => ask(contract, request))
    answer.then(outcome.answered, outcome.failed)
    return answer
  }
  return Object.assign(measured, {
    refused(subject: string) {
      for (const [number, one] of waiting) if (one.subject === subject) take(number)?.reject(new Error('NATS does not allow this'))
    },
  })
}

const text = { encoder: new TextEncoder(), decoder: new TextDecoder() }

/** Gives a body as bytes. Throws the fault `internal` when the body is too large. */
export function encode(body: unknown, subject: string): Uint8Array {
  const bytes = text.encoder.encode(JSON.stringify(body))
  if (bytes.length > largestBody) throw new Fault('internal', 'Internal error.', undefined, new Error(`${subject}: ${bytes.length} bytes`))
  return bytes
}

/** Reads the body of a message; undefined when it is not JSON. */
export function decode(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text.decoder.decode(bytes))
  } catch {
    return undefined
  }
}

/** Makes a Fault of another service's refusal. An unknown code becomes `internal`, because the gateway has no HTTP status for it. */
const faultFrom = ({ code, message, details, retryAfterSeconds }: WireFault): Fault =>
  Object.hasOwn(faultStatus, code)
    ? new Fault(code, message, details, undefined, retryAfterSeconds)
    : new Fault('internal', 'Internal error.')

/** Makes the headers of a call: the active trace and the request that the call is made for. Undefined when there is neither. */
function callHeaders(): MsgHdrs | undefined {
  const { headers: traced } = tracedHeaders()
  const requestId = activeRequestId()
  if (requestId === undefined) return traced
  const carried = traced ?? headers()
  carried.set(requestIdHeader, requestId)
  return carried
}

/**
 * Measures calls at the caller. The outcome is `answered`, `unavailable` (the call failed with `queue_unavailable`, mostly because no answer came in
 * time) or `refused` (it failed with any other fault).
 */
function callTimer({ metrics }: Service): (call: string) => { answered: () => void; failed: (error: unknown) => void } {
  const seconds = metrics.histogram('herald_call_seconds', 'Calls to other services, as the caller saw them.', {
    labelNames: ['call', 'outcome'],
    buckets: secondsBuckets,
  })
  const outcomes = (call: string) => ({
    answered: seconds.labels(call, 'answered'),
    refused: seconds.labels(call, 'refused'),
    unavailable: seconds.labels(call, 'unavailable'),
  })
  const known = new Map<string, ReturnType<typeof outcomes>>()
  return (call) => {
    let of = known.get(call)
    if (!of) known.set(call, (of = outcomes(call)))
    const { answered, refused, unavailable } = of
    const startedAt = performance.now()
    const took = () => (performance.now() - startedAt) / 1_000
    return {
      answered: () => answered.observe(took()),
      failed: (error) => (Fault.is(error, 'queue_unavailable') ? unavailable : refused).observe(took()),
    }
  }
}
