import { isObjectId } from '@herald/contracts/ids'
import pino from 'pino'
import { activeRequestId } from './request-id.ts'
import { activeTrace } from './trace.ts'

export type Log = pino.Logger

/**
 * Lines to standard output are written together every 10 ms. One by one, each line would cost a system call and wake its reader, which is a tenth of what a
 * registration may cost. A fatal line and the end of the process write at once; kill -9 loses the lines of the last 10 ms.
 */
const togetherMs = 10
const waiting: { lines: string; timer: NodeJS.Timeout | undefined; output: pino.DestinationStream | undefined } = {
  lines: '',
  timer: undefined,
  output: undefined,
}
const writeWaiting = () => {
  clearTimeout(waiting.timer)
  waiting.timer = undefined
  if (waiting.lines === '') return
  const { lines } = waiting
  waiting.lines = ''
  waiting.output ??= pino.destination({ dest: 1, sync: true })
  waiting.output.write(lines)
}
const stdout = {
  write(line: string): void {
    waiting.lines += line
    waiting.timer ??= setTimeout(writeWaiting, togetherMs).unref()
  },
  flush: writeWaiting,
  flushSync: writeWaiting,
}
process.on('exit', writeWaiting)

/**
 * Writes one line of JSON per request, batch or problem to stdout. A line has ids, outcomes and milliseconds, and names the request and the trace that it
 * belongs to. Nothing is redacted here, so a caller may hand in no token, key, endpoint address or content.
 */
export const openLog = (app: string, level: string, to: pino.DestinationStream = stdout): Log =>
  pino(
    {
      level,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => ({ requestId: activeRequestId(), ...activeTrace() }),
      formatters: { level: (label) => ({ level: label }) },
    },
    to,
  )

const namedIds = ['appId', 'campaignId', 'batchId', 'announcementId'] as const
const mostNamed = 10

/**
 * The ids in the body of a call or a message, whole or broken, for a log line: of the app, the campaign and the batch, from its own fields and from
 * the items that it lists. One id is `campaignId`; several are `campaignIds`, the first ten. A value without the form of an id is left out.
 */
export function idsOf(body: unknown): Record<string, string | string[]> {
  const parts = [body, ...Object.values(body ?? {}).flatMap((value: unknown) => (Array.isArray(value) ? (value as unknown[]) : []))]
  const ids: Record<string, string | string[]> = {}
  for (const name of namedIds) {
    const found = [...new Set(parts.map((part) => idIn(part, name)).filter((id) => id !== undefined))]
    if (found.length > 1) ids[`${name}s`] = found.slice(0, mostNamed)
    else if (found[0] !== undefined) ids[name] = found[0]
  }
  return ids
}

function idIn(part: unknown, name: string): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined
  const value = (part as Record<string, unknown>)[name]
  return typeof value === 'string' && isObjectId(value) ? value : undefined
}
