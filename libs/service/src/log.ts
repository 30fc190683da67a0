import { isObjectId } from '@herald/contracts/ids'
import pino from 'pino'
import { activeRequestId } from './request-id.ts'
import { activeTrace } from './trace.ts'

export type Log = pino.Logger

/**
 * Log lines are collected for this long and written together, because a system call per line takes a tenth of the time that a registration may take.
 * SIGKILL loses the last 10 ms; other ends lose none.
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
 * Opens a log of JSON lines: one per request, batch or problem, with ids, outcomes, milliseconds, and the request and trace it belongs to. Nothing is
 * removed here, so no caller may pass a token, key, endpoint or content.
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
 * Gives the ids of apps, campaigns, batches and announcements in a body, or in its listed items, for a log line. One is given as `campaignId`,
 * several as `campaignIds` (the first ten). The body may break its contract.
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
