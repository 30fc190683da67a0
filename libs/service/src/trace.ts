import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@herald/contracts/fault'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type ProxyTracerProvider,
  type TracerProvider,
} from '@opentelemetry/api'

/*
 * Tracing uses OpenTelemetry's interfaces alone. Without an SDK (registered by `NODE_OPTIONS=--import …`, docs/operations.md) there is
 * no active trace, and each function below costs one look at an empty registry.
 */

const tracer = trace.getTracer('herald')

/** Says whether an SDK is registered. An SDK brings a propagator, and without one there are no fields to propagate. */
const isTraced = (): boolean => propagation.fields().length > 0

/** The kinds of span: `ask` and `answer` are the two ends of a call or an HTTP request, `publish` and `consume` those of a stored message. */
const kinds = { ask: SpanKind.CLIENT, answer: SpanKind.SERVER, publish: SpanKind.PRODUCER, consume: SpanKind.CONSUMER }

/**
 * Runs work as a span `<kind> <what>`, child of `traceparent` (W3C) or the active trace. An error's code or name alone enters the span. A 4xx fault
 * fails no span of kind `answer`, as OpenTelemetry's conventions say.
 */
export function inSpan<T>(kind: keyof typeof kinds, what: string, traceparent: string | undefined, work: () => Promise<T>): Promise<T> {
  if (!isTraced()) return work()
  const parent = traceparent ? propagation.extract(ROOT_CONTEXT, { traceparent }) : context.active()
  return tracer.startActiveSpan(`${kind} ${what}`, { kind: kinds[kind] }, parent, async (span) => {
    try {
      return await work()
    } catch (error) {
      if (isFailure(kind, error)) span.setStatus({ code: SpanStatusCode.ERROR, message: nameOf(error) })
      throw error
    } finally {
      span.end()
    }
  })
}

/** Gives the active trace as options of a message: one header, or none when there is no trace. */
export function tracedHeaders(): { headers?: MsgHdrs } {
  if (!isTraced()) return {}
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  if (!carrier.traceparent) return {}
  const carried = headers()
  carried.set('traceparent', carrier.traceparent)
  return { headers: carried }
}

/** Gives the ids of the active trace and span for log lines; undefined when there is no trace. */
export function activeTrace(): { traceId: string; spanId: string } | undefined {
  const active = trace.getSpanContext(context.active())
  return active && { traceId: active.traceId, spanId: active.spanId }
}

/** A collector of spans that does not answer holds up the stop of a process for at most this long. */
const flushLimitMs = 1_000

/** Makes the registered OpenTelemetry SDK, if there is one, export the spans that it has collected. A process calls this when it has closed everything else. */
export async function flushSpans(): Promise<void> {
  const registered = trace.getTracerProvider()
  const provider: Flushable = 'getDelegate' in registered ? (registered as ProxyTracerProvider).getDelegate() : registered
  const flushed = provider.forceFlush?.().catch(() => undefined)
  if (flushed) await Promise.race([flushed, sleep(flushLimitMs)])
}
/** A provider with the method `forceFlush`, which every SDK has and OpenTelemetry's interface does not name. */
type Flushable = TracerProvider & { forceFlush?: () => Promise<unknown> }

const isFailure = (kind: keyof typeof kinds, error: unknown): boolean => kind !== 'answer' || !Fault.is(error) || error.status >= 500

const nameOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error && typeof error.code === 'string' ? error.code : error.name) : typeof error
