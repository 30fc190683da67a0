import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { atEnd } from '@herald/testing/at-end'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type ContextManager,
  type Span,
  type SpanContext,
  type TextMapPropagator,
  type Tracer,
} from '@opentelemetry/api'

export type RecordedSpan = { name: string; traceId: string; spanId: string; parentSpanId: string | undefined; failed: string | undefined }

let ended: RecordedSpan[] = []
let exported: RecordedSpan[] = []
const storage = new AsyncLocalStorage<Context>()

const manager: ContextManager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, work, self, ...given) => storage.run(active, () => work.apply(self as never, given)),
  bind: (_active, target) => target,
  enable: () => manager,
  disable: () => manager,
}

const propagator: TextMapPropagator = {
  fields: () => ['traceparent', 'baggage'],
  inject(active, carrier, setter) {
    const span = trace.getSpanContext(active)
    if (!span) return
    setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`)
    setter.set(carrier, 'baggage', 'externalId=somebody')
  },
  extract(active, carrier, getter) {
    const [, traceId, spanId] = String(getter.get(carrier, 'traceparent')).split('-')
    return traceId && spanId ? trace.setSpanContext(active, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }) : active
  },
}

const tracer: Tracer = {
  startSpan(name, _options, parent = context.active()) {
    const above = trace.getSpanContext(parent)
    const own: SpanContext = {
      traceId: above?.traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      traceFlags: TraceFlags.SAMPLED,
    }
    const recorded: RecordedSpan = { name, traceId: own.traceId, spanId: own.spanId, parentSpanId: above?.spanId, failed: undefined }
    return Object.assign(trace.wrapSpanContext(own), {
      setStatus(this: Span, { message }: { message?: string }) {
        recorded.failed = message
        return this
      },
      end: () => void ended.push(recorded),
    })
  },
  startActiveSpan(name: string, ...rest: unknown[]) {
    const work = rest.at(-1) as (span: Span) => unknown
    const parent = (rest.length > 2 ? rest[1] : context.active()) as Context
    const span = tracer.startSpan(name, {}, parent)
    return context.with(trace.setSpan(parent, span), () => work(span)) as never
  },
}

/**
 * Registers a minimal OpenTelemetry SDK until the test file ends, and gives the spans that end and are exported from now on. Its propagator also sets
 * `baggage`, which must not leave the process. A process keeps its first tracer.
 */
export function registerTracing(): { ended: RecordedSpan[]; exported: RecordedSpan[] } {
  ended = []
  exported = []
  context.setGlobalContextManager(manager)
  propagation.setGlobalPropagator(propagator)
  const forceFlush = async () => void exported.push(...ended.slice(exported.length))
  trace.setGlobalTracerProvider(Object.assign({ getTracer: () => tracer }, { forceFlush }))
  atEnd(() => [context, propagation, trace].forEach((api) => api.disable()))
  return { ended, exported }
}
