import { isObjectId } from '@herald/contracts/ids'
import pino from 'pino'
import { activeRequestId } from './request-id.ts'
import { activeTrace } from './trace.ts'

export type Log = pino.Logger

/**
 * Log lines are collected for this long and written together. Written one by one, each line would cost a system call and wake the reader of the log,
 * which takes a tenth of the time that a registration may take. Before a fatal line and before the process ends, all lines are written at once. After
 * `kill -9` the lines of the last 10 ms are lost.
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
 * Opens a log whose lines are JSON: one per request, batch or problem. A line has ids, outcomes and milliseconds, and names the request and the trace
 * that it belongs to, if any. Nothing is removed from a line here, so no caller may pass a token, key, endpoint address or content.
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
 * Gives the ids in the body of a call or message for a log line: of apps, campaigns, batches and announcements, from the body's own fields and from
 * the items that it lists. The body may break its contract. A single id of a kind is given as, for example, `campaignId`. Several are given as
 * `campaignIds`, but only the first ten. A value that does not have the form of an id is left out.
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
