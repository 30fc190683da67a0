import pino from 'pino'
import { activeTrace } from './trace.ts'

export type Log = pino.Logger

/**
 * One line of JSON per request, batch or problem, on stdout. Call sites name ids, outcomes and milliseconds; nothing here
 * redacts, so nothing secret may be handed in: no token, key, endpoint address or content. A line within a trace names it.
 */
export const openLog = (app: string, level: string, to?: pino.DestinationStream): Log =>
  pino(
    {
      level,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => activeTrace() ?? {},
      formatters: { level: (label) => ({ level: label }) },
    },
    to,
  )
