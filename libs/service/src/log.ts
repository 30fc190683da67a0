import { isObjectId } from '@herald/contracts/ids'
import pino from 'pino'
import { activeRequestId } from './request-id.ts'
import { activeTrace } from './trace.ts'

export type Log = pino.Logger

/**
 * Standard output. Lines are written together every 10 ms: one by one each costs a system call and wakes its reader, a tenth of what a
 * registration may cost. A fatal line, and the end of the process, write at once; kill -9 loses what is younger than 10 ms.
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
 * One line of JSON per request, batch or problem, on stdout. Call sites name ids, outcomes and milliseconds; nothing here
 * redacts, so nothing secret may be handed in: no token, key, endpoint address or content. A line names the request and the
 * trace that it belongs to.
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
 * What a line may say of a call's or a message's body, whole or broken: which app, campaign and batch it is about, by its own fields and
 * those of what it lists. One is `campaignId`, several are `campaignIds`, the first ten. Nothing that has not the form of an id.
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
